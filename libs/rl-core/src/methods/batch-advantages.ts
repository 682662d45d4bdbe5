import { capoAdvantages } from '../advantages/capo.js';
import { cdeRewards, staircaseWeight } from '../advantages/cde.js';
import { codapoWeight } from '../advantages/codapo.js';
import { drGrpoAdvantages } from '../advantages/dr-grpo.js';
import { grpoAdvantages } from '../advantages/grpo.js';
import { type NoiseMaskThresholds, noiseMask } from '../advantages/noise-mask.js';
import { overlongPenalty } from '../advantages/overlong-penalty.js';
import { rlooAdvantages } from '../advantages/rloo.js';
import { batchDeviationScale, groupDeviationScale, rootMeanSquareScale } from '../advantages/scale.js';
import type { MaskOption, Method } from './method-schema.js';
import { isCentred, type ResolvedMethod, type ResolvedOptions, resolveMethod } from './resolve-method.js';

/** What an advantage is computed from: one entry per response, group after group. */
export interface GroupedRewards {
  groupSize: number;
  /** 1 right, 0 wrong, NaN invalid. */
  rewards: Float64Array;
  /** Length-normalised log-probability under the policy that drew the response; NaN for one without tokens. */
  lpm: Float64Array;
  /** exp(-lpm) under the reference model; null when the method needs none. */
  referencePerplexity: Float64Array | null;
  /** How the responses ended; needed where the method treats long or truncated ones apart. */
  ends?: ResponseEnds;
  /** The share of the training steps that are done, in [0, 1]; default 0. For weights that decay. */
  progress?: number;
}

/** The lengths of responses and whether the limit cut them off. */
export interface ResponseEnds {
  lengths: ArrayLike<number>;
  /** 1 for a response that reached the limit without its end token. */
  truncated: ArrayLike<number>;
  /** The limit. */
  maxTokens: number;
}

/** The advantages of a batch. */
export interface BatchAdvantages {
  advantages: Float64Array;
  /** 1 for every response that the noise mask lets pass; null without a mask. */
  mask: Uint8Array | null;
  /** 1 for every response that is out of the loss altogether, numerator and denominator; null when none can be. */
  excluded: Uint8Array | null;
  /** The weight of each prompt; null when the method has none. */
  promptWeights: Float64Array | null;
}

/** The noise mask of the method. */
export function maskOf(method: Method): MaskOption {
  return method.name === 'capo' || method.name === 'grpo' ? (method.mask ?? 'none') : 'none';
}

/** Whether the method looks at the reference model. */
export function needsReference(method: Method): boolean {
  return maskOf(method) !== 'none' || (method.kl !== undefined && method.kl !== 'none');
}

/**
 * The advantages of all groups of a batch under that method.
 *
 * @param method with its options resolved, or as it stands in a configuration
 * @param thresholds of the noise mask; null when the method has none
 */
export function batchAdvantages(
  method: Method | ResolvedMethod,
  batch: GroupedRewards,
  thresholds: NoiseMaskThresholds | null,
): BatchAdvantages {
  const resolved = 'options' in method ? method : resolveMethod(method, { clipRatio: 0.2, maxTokens: 1 });
  const mask =
    thresholds && batch.referencePerplexity ? noiseMask(batch.rewards, batch.referencePerplexity, thresholds) : null;
  const { advantages, promptWeights } = isCentred(resolved.method)
    ? centredAdvantages(resolved.method, resolved.options, batch)
    : { advantages: pairAdvantages(resolved.method, batch, mask), promptWeights: null };
  const excluded = excludedResponses(resolved.options, batch, advantages);
  for (let i = 0; i < advantages.length; i++) {
    if (mask) advantages[i] *= mask[i];
    if (excluded?.[i]) advantages[i] = 0;
  }
  return { advantages, mask, excluded, promptWeights };
}

/** CAPO: pairs within groups. */
function pairAdvantages(
  method: Method & { name: 'capo' },
  { groupSize, rewards, lpm }: GroupedRewards,
  mask: Uint8Array | null,
): Float64Array {
  const removed = method.maskedPartners === 'remove' ? mask : null;
  const paired = removed ? rewards.map((reward, i) => (removed[i] ? reward : Number.NaN)) : rewards;
  const { surrogate, ...rest } = method;
  const options = { ...rest, surrogate: surrogate ?? 'logistic' };
  const advantages = perGroup(rewards.length, groupSize, (start, end) => {
    const group = capoAdvantages(paired.subarray(start, end), lpm.subarray(start, end), options);
    return method.normalise === 'group-std' ? scaled(group, groupDeviationScale(group)) : group;
  });
  return method.normalise === 'batch-rms' ? scaled(advantages, rootMeanSquareScale(advantages, groupSize)) : advantages;
}

/** All others: centred rewards, shaped before and weighted after. */
function centredAdvantages(
  method: Exclude<Method, { name: 'capo' }>,
  options: ResolvedOptions,
  batch: GroupedRewards,
): { advantages: Float64Array; promptWeights: Float64Array | null } {
  const { groupSize, lpm } = batch;
  const rewards = shapedRewards(method, options, batch);
  const { deviation } = options;
  const advantages = perGroup(rewards.length, groupSize, (start, end) => {
    const group = rewards.subarray(start, end);
    if (method.name !== 'rloo') {
      return options.scale === 'group-std'
        ? grpoAdvantages(group, { scale: 'group-std', deviation })
        : drGrpoAdvantages(group);
    }
    const centred = rlooAdvantages(group);
    return options.scale === 'group-std' ? scaled(centred, groupDeviationScale(centred)) : centred;
  });
  if (options.scale === 'batch-std') scaled(advantages, batchDeviationScale(rewards));
  if (method.name !== 'codapo') return { advantages, promptWeights: null };
  const promptWeights = new Float64Array(Math.ceil(rewards.length / groupSize));
  for (let g = 0; g < promptWeights.length; g++) {
    const [start, end] = [g * groupSize, (g + 1) * groupSize];
    promptWeights[g] = codapoWeight(batch.rewards.subarray(start, end), lpm.subarray(start, end));
    scaled(advantages.subarray(start, end), promptWeights[g]);
  }
  return { advantages, promptWeights };
}

/** The rewards as the method sees them: coded, with the penalty of long replies, with CDE's bonus. */
function shapedRewards(method: Method, options: ResolvedOptions, batch: GroupedRewards): Float64Array {
  const { rewards, lpm } = batch;
  let shaped = rewards;
  if (options.rewardCoding === 'minus-one-one') shaped = shaped.map((reward) => 2 * reward - 1);
  if (method.name === 'cde') {
    const weight = staircaseWeight(method.stairs, batch.progress ?? 0);
    shaped = cdeRewards(shaped, lpm, { kappa: method.kappa, alpha: method.alpha, weight });
  }
  if (options.truncated === 'penalise') {
    const { lengths, maxTokens } = endsOf(batch);
    const penalty = overlongPenalty(lengths, maxTokens, options.overlongBuffer * maxTokens);
    shaped = shaped.map((reward, i) => reward + penalty[i]);
  }
  return shaped;
}

/** Responses that are out of numerator and denominator: truncated ones, and groups without signal, as the options say. */
function excludedResponses(
  options: ResolvedOptions,
  batch: GroupedRewards,
  advantages: Float64Array,
): Uint8Array | null {
  const masksGroups = options.groupsWithoutSignal === 'mask';
  if (options.truncated !== 'mask' && !masksGroups) return null;
  const excluded = new Uint8Array(advantages.length);
  if (options.truncated === 'mask') excluded.set(Uint8Array.from(endsOf(batch).truncated));
  for (let start = 0; masksGroups && start < advantages.length; start += batch.groupSize) {
    const group = advantages.subarray(start, start + batch.groupSize);
    if (group.every((advantage) => advantage === 0)) excluded.fill(1, start, start + group.length);
  }
  return excluded;
}

function endsOf({ ends }: GroupedRewards): ResponseEnds {
  if (!ends) throw new RangeError('the method treats long responses apart, but their lengths are not given');
  return ends;
}

/** Computes group by group. */
function perGroup(
  count: number,
  groupSize: number,
  compute: (start: number, end: number) => Float64Array,
): Float64Array {
  const result = new Float64Array(count);
  for (let start = 0; start < count; start += groupSize) {
    result.set(compute(start, Math.min(count, start + groupSize)), start);
  }
  return result;
}

/** Scales in place. */
function scaled(values: Float64Array, factor: number): Float64Array {
  for (let i = 0; i < values.length; i++) values[i] *= factor;
  return values;
}
