/** How the centred rewards of a group are scaled. */
export interface GrpoAdvantageOptions {
  /** `group-std`: divided by the group's standard deviation, as in GRPO. `none`: only centred, as in Dr. GRPO. */
  scale: 'group-std' | 'none';
  /** `sample` (default) divides the squares by n - 1, as verl does; `population` by n. */
  deviation?: 'sample' | 'population';
}

/** Added to the standard deviation, as in GRPO's published code, so that it never divides by zero. */
const EPSILON = 1e-6;

/**
 * GRPO's advantage of each response of one group (Shao et al. 2024, arXiv 2402.03300, section 4.1.2):
 * `A_i = (R_i - mean R) / (std R + 1e-6)`, the same for all tokens of response i. The standard deviation divides by
 * n - 1, as verl does, or by n (option `deviation`).
 *
 * @param rewards of the group; NaN marks an invalid reward, which gets 0 and takes no part in mean and deviation
 * @returns one advantage per response; all 0 when all valid rewards are equal or fewer than two are valid
 */
export function grpoAdvantages(rewards: ArrayLike<number>, options: GrpoAdvantageOptions): Float64Array {
  const advantages = new Float64Array(rewards.length);
  const valid = Array.from(rewards).filter((reward) => !Number.isNaN(reward));
  if (valid.length < 2) return advantages;
  const mean = valid.reduce((sum, reward) => sum + reward, 0) / valid.length;
  const squares = valid.reduce((sum, reward) => sum + (reward - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (options.deviation === 'population' ? valid.length : valid.length - 1));
  if (deviation === 0) return advantages;
  const scale = options.scale === 'group-std' ? 1 / (deviation + EPSILON) : 1;
  for (let i = 0; i < rewards.length; i++) {
    if (!Number.isNaN(rewards[i])) advantages[i] = (rewards[i] - mean) * scale;
  }
  return advantages;
}
