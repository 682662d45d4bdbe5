import { z } from 'zod';
import { SURROGATES } from '../advantages/surrogate.js';

const share = z.number().min(0).max(1);

const maskSchema = z.union([
  z.literal('none'),
  /** Tukey's fences of the base model's own perplexities on the training pool; see trainer/thresholds.ts. */
  z.literal('base-fences'),
  /** The quartiles themselves: a quarter of the base model's right and wrong responses lie beyond them. */
  z.literal('base-quartiles'),
  z.strictObject({ low: z.number().positive(), high: z.number().positive() }),
  /** Any quantiles of the base model's perplexities: `low` of its wrong responses, `high` of its right ones. */
  z.strictObject({ lowQuantile: share, highQuantile: share }),
]);
export type MaskOption = z.infer<typeof maskSchema>;

const klSchema = z.union([
  z.literal('none'),
  z.strictObject({
    /** See objectives/kl.ts for value and gradient of each. */
    estimator: z.enum(['k1', 'k2', 'k3']),
    coefficient: z.number().positive().default(0.001),
    /** `importance-weighted` multiplies by the ratio, gradient included, which makes the gradient of k1 and k3 unbiased. */
    form: z.enum(['plain', 'importance-weighted']).default('plain'),
  }),
]);

/**
 * What every method lets you choose of its objective. All are optional, so that a configuration keeps its hash when an
 * option is added; `resolveMethod` fills in the method's own defaults.
 */
const objectiveShape = {
  /** Over what the loss is a mean: all tokens; the tokens of each response, then responses; or a constant length. */
  aggregation: z.enum(['token-mean', 'sequence-mean', 'constant-length']).optional(),
  /** The constant of `constant-length`; default: the most tokens of a response. */
  constantLength: z.int().positive().optional(),
  /** Whether the ratio is each token's or the whole response's (geometric mean over its tokens). */
  ratio: z.enum(['token', 'sequence']).optional(),
  /** The ratio is clipped to [1 - clipLow, 1 + clipHigh]; default: the trainer's clipRatio for both. */
  clipLow: z.number().positive().lt(1).optional(),
  clipHigh: z.number().positive().optional(),
  kl: klSchema.optional(),
  /**
   * Groups whose rewards are all equal: `keep` (advantage 0, counted in the mean, pushed by a KL term), `mask` (out of
   * the mean and of the KL term), `resample` (dropped, and other prompts drawn in their place).
   */
  groupsWithoutSignal: z.enum(['keep', 'mask', 'resample']).optional(),
  /** With `resample`: how often further prompts are drawn for one step before it goes on with what it has. */
  resampleRounds: z.int().positive().optional(),
  /**
   * Replies cut off by the length limit: `keep` (like any other), `mask` (out of numerator and denominator of the loss;
   * their rewards still count in the group), `penalise` (DAPO's soft penalty on the reward of long replies).
   */
  truncated: z.enum(['keep', 'mask', 'penalise']).optional(),
  /** With `penalise`: the share of the length limit over which the penalty grows. */
  overlongBuffer: share.optional(),
} as const;

/** What the methods share whose advantage is a centred reward. */
const centredShape = {
  /** What the centred rewards are divided by: the group's standard deviation, the batch's, or nothing. */
  scale: z.enum(['group-std', 'batch-std', 'none']).optional(),
  /** Whether the group's standard deviation divides by n - 1 or by n. */
  deviation: z.enum(['sample', 'population']).optional(),
  /** How right and wrong are coded: 1 and 0, or 1 and -1. */
  rewardCoding: z.enum(['zero-one', 'minus-one-one']).optional(),
  ...objectiveShape,
} as const;

const stairSchema = z.strictObject({ from: share.lt(1), weight: z.number().min(0) });

/** The method of a training run with its options; unknown keys are errors. */
export const methodSchema = z.discriminatedUnion('name', [
  z.strictObject({
    ...centredShape,
    name: z.literal('grpo'),
    scale: z.enum(['group-std', 'batch-std', 'none']).default('group-std'),
    /** Ablation of CAPO: its noise mask on GRPO's advantages. */
    mask: maskSchema.optional(),
  }),
  z.strictObject({ ...centredShape, name: z.literal('dr-grpo') }),
  z.strictObject({ ...centredShape, name: z.literal('rloo') }),
  z.strictObject({ ...centredShape, name: z.literal('dapo') }),
  z.strictObject({ ...centredShape, name: z.literal('gspo') }),
  z.strictObject({
    ...centredShape,
    name: z.literal('codapo'),
    /** The second, focused update on fresh rollouts of the heaviest prompts; `none`: only the weighting. */
    focus: z
      .union([
        z.literal('none'),
        z.strictObject({ share: share.gt(0).default(0.25), repeats: z.int().positive().default(4) }),
      ])
      .default('none'),
  }),
  z.strictObject({
    ...centredShape,
    name: z.literal('cde'),
    kappa: z.number().positive().default(3),
    alpha: z.number().positive().default(1),
    /** The weight of the bonus over training, by share of the steps. The source gives no steps. */
    stairs: z
      .array(stairSchema)
      .min(1)
      .default([
        { from: 0, weight: 1 },
        { from: 0.25, weight: 0.5 },
        { from: 0.5, weight: 0.25 },
        { from: 0.75, weight: 0 },
      ])
      .refine((stairs) => stairs.every(({ from }, i) => i === 0 || from > stairs[i - 1].from), {
        message: 'stairs must start later and later',
      }),
  }),
  z.strictObject({
    ...centredShape,
    name: z.literal('simko'),
    /** The entropy quantile of its response above which a token is a forking token. */
    forkQuantile: share.default(0.8),
    topK: z.int().positive().default(3),
    /** The share of the gradient that goes to the most probable tokens at forking tokens of right responses. */
    shared: share.default(0.01),
    /** The factor of the advantage where a wrong response took the most probable token. */
    topPenalty: z.number().min(1).default(1.1),
    /** Where that penalty holds. */
    penaltyAt: z.enum(['forking', 'all']).default('forking'),
  }),
  z.strictObject({
    ...objectiveShape,
    name: z.literal('capo'),
    tau: z.number().positive().default(0.6),
    pairScale: z.enum(['group-size', 'opposite-count', 'none']).default('group-size'),
    tauFactor: z.boolean().default(true),
    /** `batch-rms`: unit root mean square over the responses of groups with a pair, before the mask. */
    normalise: z.enum(['batch-rms', 'group-std', 'none']).default('batch-rms'),
    mask: maskSchema.default('base-fences'),
    /** Ablations: another convex surrogate in place of the logistic one. */
    surrogate: z.enum(SURROGATES).optional(),
    /** Whose lpm the pairs compare, in either case without gradient: at every minibatch anew with `current`. */
    lpmOf: z.enum(['sampling', 'current']).optional(),
    /** Whether masked responses still serve as partners of others. */
    maskedPartners: z.enum(['keep', 'remove']).optional(),
    /** Pairs need right and wrong, so that there is no reward to penalise. */
    truncated: z.enum(['keep', 'mask']).optional(),
  }),
]);
export type Method = z.infer<typeof methodSchema>;
export type MethodName = Method['name'];

/** The names of all methods, in the order of the paper's tables. */
export const METHOD_NAMES: readonly MethodName[] = methodSchema.options.map(
  (option) => option.shape.name.value as MethodName,
);
