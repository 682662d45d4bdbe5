import { type Decoder, lossAndGradients, packSequences, type Sequence, scoreBatch, tf } from '@capo/model';
import { capoAdvantages, grpoAdvantages, pairWeight, type Rollout, sequencesOf } from '@capo/rl-core';

/** Coefficients of the lpm of each response of some groups: three directions in the space of lpm. */
export interface LpmDirections {
  /** GRPO's advantages. */
  grpo: Float64Array;
  /** CAPO's advantages, without the mask. */
  capo: Float64Array;
  /** The gradient of the smoothed AUC within prompts. */
  auc: Float64Array;
}

/** What the directions are computed from: groups of equal size, group after group. */
export interface GroupsOfResponses {
  groupSize: number;
  /** 1 right, 0 wrong, NaN invalid. */
  rewards: Float64Array;
  lpm: Float64Array;
}

/**
 * GRPO's and CAPO's advantages, and the gradient with respect to lpm of the smoothed AUC within prompts,
 * `mean over pairs of sigmoid((lpm_right - lpm_wrong) / smoothing)`, averaged over groups with a pair. The smaller the
 * smoothing, the closer it is to AUC itself, which has no gradient.
 */
export function lpmDirections(
  { groupSize, rewards, lpm }: GroupsOfResponses,
  tau: number,
  smoothing: number,
): LpmDirections {
  const directions: LpmDirections = {
    grpo: new Float64Array(rewards.length),
    capo: new Float64Array(rewards.length),
    auc: new Float64Array(rewards.length),
  };
  for (let start = 0; start < rewards.length; start += groupSize) {
    const [own, ownLpm] = [rewards.subarray(start, start + groupSize), lpm.subarray(start, start + groupSize)];
    directions.grpo.set(grpoAdvantages(own, { scale: 'group-std' }), start);
    directions.capo.set(capoAdvantages(own, ownLpm, { tau, pairScale: 'group-size', tauFactor: true }), start);
    directions.auc.set(smoothedAucGradient(own, ownLpm, smoothing), start);
  }
  return directions;
}

function smoothedAucGradient(rewards: Float64Array, lpm: Float64Array, smoothing: number): Float64Array {
  const gradient = new Float64Array(rewards.length);
  let pairs = 0;
  for (let i = 0; i < rewards.length; i++) {
    for (let j = 0; j < rewards.length; j++) {
      if (rewards[i] !== 1 || rewards[j] !== 0 || Number.isNaN(lpm[i] - lpm[j])) continue;
      const wrongWay = pairWeight(lpm[i] - lpm[j], smoothing);
      const slope = (wrongWay * (1 - wrongWay)) / smoothing;
      gradient[i] += slope;
      gradient[j] -= slope;
      pairs++;
    }
  }
  return gradient.map((value) => value / Math.max(1, pairs));
}

/** The gradient of `sum over responses of coefficient * lpm` with respect to all parameters of the policy, flat. */
function parameterDirection(
  decoder: Decoder,
  sequences: readonly Sequence[],
  coefficients: ArrayLike<number>,
): Float32Array {
  const active = [...sequences.keys()].filter((i) => coefficients[i] !== 0 && sequences[i].response.length > 0);
  const size = [...decoder.parameters.values()].reduce((sum, parameter) => sum + parameter.size, 0);
  const flat = new Float32Array(size);
  if (active.length === 0) return flat;
  const batch = packSequences(active.map((i) => sequences[i]));
  const weight = Float32Array.from(batch.sequences, (s) => coefficients[active[s]] / batch.responseLengths[s]);
  const objective = () => scoreBatch(decoder, batch).logprob.mul(tf.tensor1d(weight)).sum() as tf.Scalar;
  const { gradients } = lossAndGradients(decoder.parameters, objective);
  let next = 0;
  for (const name of decoder.parameters.keys()) {
    const gradient = gradients.get(name) as tf.Tensor;
    flat.set(gradient.dataSync(), next);
    next += gradient.size;
    gradient.dispose();
  }
  return flat;
}

/** The cosine of two directions; null when one is zero. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number | null {
  let [product, squaresA, squaresB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    product += a[i] * b[i];
    squaresA += a[i] * a[i];
    squaresB += b[i] * b[i];
  }
  return squaresA > 0 && squaresB > 0 ? product / Math.sqrt(squaresA * squaresB) : null;
}

/** The cosines of an update with the gradient of AUC, for one group or batch, by space and method. */
export interface Alignment {
  /** Null where the AUC is of other responses, which have other lpm. */
  lpm: { grpo: number; capo: number } | null;
  parameters: { grpo: number; capo: number };
}

export interface AlignmentOptions {
  groupsPerUnit: number;
  /** CAPO's. */
  tau: number;
  /** Of the smoothed AUC. */
  smoothing: number;
  /** The responses whose AUC counts, of prompts that the update does not see; default: those of the update itself. */
  heldOut?: Rollout;
}

/**
 * The alignments of updates with the gradient of the smoothed AUC, for units of `groupsPerUnit` groups of a rollout; units
 * without a pair are left out. In the space of parameters the update is the trainer's, a mean over tokens, so that a
 * response counts by its length; in the space of lpm it is the advantage.
 */
export function alignments(
  decoder: Decoder,
  rollout: Rollout,
  { groupsPerUnit, tau, smoothing, heldOut }: AlignmentOptions,
): Alignment[] {
  const sequences = sequencesOf(rollout);
  const perUnit = groupsPerUnit * rollout.draws;
  const heldOutAuc = heldOut && aucDirection(decoder, heldOut, tau, smoothing);
  const result: Alignment[] = [];
  for (let start = 0; start + perUnit <= sequences.length; start += perUnit) {
    const end = start + perUnit;
    const { rewards, lpm } = rollout;
    const groups = { groupSize: rollout.draws, rewards: rewards.slice(start, end), lpm: lpm.slice(start, end) };
    const own = sequences.slice(start, end);
    const inLpm = lpmDirections(groups, tau, smoothing);
    if (inLpm.auc.every((value) => value === 0)) continue;
    const auc = heldOutAuc ?? parameterDirection(decoder, own, inLpm.auc);
    const cosineOf = (method: 'grpo' | 'capo') => {
      const byLength = inLpm[method].map((a, i) => a * own[i].response.length);
      return cosine(parameterDirection(decoder, own, byLength), auc);
    };
    const [grpo, capo] = [cosineOf('grpo'), cosineOf('capo')];
    if (grpo === null || capo === null) continue;
    const [lpmGrpo, lpmCapo] = [inLpm.grpo, inLpm.capo].map((direction) => cosine(direction, inLpm.auc) as number);
    result.push({ lpm: heldOut ? null : { grpo: lpmGrpo, capo: lpmCapo }, parameters: { grpo, capo } });
  }
  return result;
}

/** The gradient of the smoothed AUC within the prompts of a rollout, in the space of parameters. */
function aucDirection(decoder: Decoder, rollout: Rollout, tau: number, smoothing: number): Float32Array {
  const groups = { groupSize: rollout.draws, rewards: rollout.rewards, lpm: rollout.lpm };
  return parameterDirection(decoder, sequencesOf(rollout), lpmDirections(groups, tau, smoothing).auc);
}
