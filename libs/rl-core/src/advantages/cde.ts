/** One stair of a staircase: from that share of training on, that weight. */
export interface Stair {
  /** Share of the training steps that are done, in [0, 1). */
  from: number;
  weight: number;
}

/**
 * The weight of CDE's bonus at a point of training: that of the last stair that has begun; 0 before the first.
 *
 * @param progress share of the training steps that are done, in [0, 1]
 */
export function staircaseWeight(stairs: readonly Stair[], progress: number): number {
  return stairs.reduce((weight, stair) => (progress >= stair.from ? stair.weight : weight), 0);
}

/** The actor's part of CDE's exploration bonus. */
export interface CdeBonusOptions {
  /** The bonus is at most |R| / kappa. The source: 3. */
  kappa: number;
  /** Scales the perplexity bonus B = -lpm. The source: 1. */
  alpha: number;
  /** Of the whole bonus; see `staircaseWeight`. */
  weight: number;
}

/**
 * CDE's shaped reward of each response (arXiv 2509.09675, actor part): `R + w min(|R| / kappa, alpha B)` with
 * `B = -lpm`: responses that surprise the policy earn more, but never enough to turn wrong into right. A response with
 * R = 0 has the cap 0 and gets no bonus, so that with rewards {0, 1} only right responses do; with {-1, 1} both do.
 *
 * @param rewards as coded: {0, 1} or {-1, 1}; NaN stays NaN
 * @param lpm length-normalised log-probabilities; a response without tokens (NaN) gets no bonus
 */
export function cdeRewards(
  rewards: ArrayLike<number>,
  lpm: ArrayLike<number>,
  { kappa, alpha, weight }: CdeBonusOptions,
): Float64Array {
  if (rewards.length !== lpm.length) {
    throw new RangeError(`${rewards.length} rewards but ${lpm.length} log-probabilities`);
  }
  return Float64Array.from(rewards, (reward, i) => {
    if (Number.isNaN(lpm[i])) return reward;
    return reward + weight * Math.min(Math.abs(reward) / kappa, alpha * -lpm[i]);
  });
}
