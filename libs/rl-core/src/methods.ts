import { z } from 'zod';
import { capoAdvantages } from './advantages/capo.js';
import { grpoAdvantages } from './advantages/grpo.js';
import { type NoiseMaskThresholds, noiseMask } from './advantages/noise-mask.js';
import { rootMeanSquareScale } from './advantages/scale.js';

const maskSchema = z.union([
  z.literal('none'),
  /** Tukey's fences of the base model's own perplexities on the training pool; see trainer/thresholds.ts. */
  z.literal('base-fences'),
  /** The quartiles themselves: a quarter of the base model's right and wrong responses lie beyond them. */
  z.literal('base-quartiles'),
  z.strictObject({ low: z.number().positive(), high: z.number().positive() }),
]);

/** The method of a training run with its options; unknown keys are errors. */
export const methodSchema = z.discriminatedUnion('name', [
  z.strictObject({
    name: z.literal('grpo'),
    scale: z.enum(['group-std', 'none']).default('group-std'),
  }),
  z.strictObject({
    name: z.literal('capo'),
    tau: z.number().positive().default(0.6),
    pairScale: z.enum(['group-size', 'opposite-count', 'none']).default('group-size'),
    tauFactor: z.boolean().default(true),
    /** `batch-rms`: unit root mean square over the responses of groups with a pair, before the mask. */
    normalise: z.enum(['batch-rms', 'none']).default('batch-rms'),
    mask: maskSchema.default('base-fences'),
  }),
]);
export type Method = z.infer<typeof methodSchema>;

/** What an advantage is computed from: one entry per response, group after group. */
export interface GroupedRewards {
  groupSize: number;
  /** 1 right, 0 wrong, NaN invalid. */
  rewards: Float64Array;
  /** Length-normalised log-probability under the policy that drew the response; NaN for one without tokens. */
  lpm: Float64Array;
  /** exp(-lpm) under the reference model; null when the method needs none. */
  referencePerplexity: Float64Array | null;
}

/** The advantages of a batch. */
export interface BatchAdvantages {
  advantages: Float64Array;
  /** 1 for every response that the noise mask lets pass; null without a mask. */
  mask: Uint8Array | null;
}

/** Whether the method looks at the reference model. */
export function needsReference(method: Method): boolean {
  return method.name === 'capo' && method.mask !== 'none';
}

/**
 * The advantages of all groups of a batch under that method.
 *
 * @param thresholds of the noise mask; null when the method has none
 */
export function batchAdvantages(
  method: Method,
  batch: GroupedRewards,
  thresholds: NoiseMaskThresholds | null,
): BatchAdvantages {
  const { groupSize, rewards, lpm, referencePerplexity } = batch;
  const advantages = new Float64Array(rewards.length);
  for (let start = 0; start < rewards.length; start += groupSize) {
    const groupRewards = rewards.subarray(start, start + groupSize);
    const group =
      method.name === 'grpo'
        ? grpoAdvantages(groupRewards, method)
        : capoAdvantages(groupRewards, lpm.subarray(start, start + groupSize), method);
    advantages.set(group, start);
  }
  if (method.name === 'grpo') return { advantages, mask: null };
  if (method.normalise === 'batch-rms') {
    const scale = rootMeanSquareScale(advantages, groupSize);
    for (let i = 0; i < advantages.length; i++) advantages[i] *= scale;
  }
  if (!thresholds || !referencePerplexity) return { advantages, mask: null };
  const mask = noiseMask(rewards, referencePerplexity, thresholds);
  for (let i = 0; i < advantages.length; i++) advantages[i] *= mask[i];
  return { advantages, mask };
}
