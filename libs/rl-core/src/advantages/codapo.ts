/**
 * CoDaPO's weight of a prompt (arXiv 2606.07950): `w = c (1 - 4 (d - 1/2)^2) + 0.1` with the difficulty `d = 1 - the
 * group's accuracy` and the confidence `c = exp(mean over the group of lpm)`. It multiplies GRPO's advantages of the
 * group. Largest, 1.1, for a prompt that the policy gets right half of the time with certainty; 0.1 for one that it
 * always or never gets right.
 *
 * @param rewards of the group: 1 right, 0 wrong, NaN invalid (left out)
 * @param lpm length-normalised log-probabilities; NaN for a response without tokens (left out)
 * @returns the weight; 0.1 when nothing is valid
 */
export function codapoWeight(rewards: ArrayLike<number>, lpm: ArrayLike<number>): number {
  if (rewards.length !== lpm.length) {
    throw new RangeError(`${rewards.length} rewards but ${lpm.length} log-probabilities`);
  }
  let right = 0;
  let logConfidence = 0;
  let count = 0;
  for (let i = 0; i < rewards.length; i++) {
    if (Number.isNaN(rewards[i]) || Number.isNaN(lpm[i])) continue;
    right += rewards[i] > 0 ? 1 : 0;
    logConfidence += lpm[i];
    count++;
  }
  if (count === 0) return FLOOR;
  const difficulty = 1 - right / count;
  return Math.exp(logConfidence / count) * (1 - 4 * (difficulty - 0.5) ** 2) + FLOOR;
}

/** What every prompt weighs at least. */
const FLOOR = 0.1;

/**
 * The prompts that CoDaPO draws again for its second, focused update: the top share by weight, at least one. Equal
 * weights keep the prompts' order.
 *
 * @param share of the prompts, in (0, 1]; the source: 0.25
 * @returns indices of prompts, the heaviest first
 */
export function focusedPrompts(weights: ArrayLike<number>, share: number): number[] {
  const order = Array.from({ length: weights.length }, (_, i) => i).sort((a, b) => weights[b] - weights[a] || a - b);
  return order.slice(0, Math.ceil(share * weights.length));
}
