/**
 * RLOO's advantage of each response of one group (Kool et al. 2019; Ahmadian et al. 2024, arXiv 2402.14740, eq. 8): the
 * reward minus the mean reward of the *other* responses, `A_i = R_i - 1/(G-1) sum over j != i of R_j`. The baseline does
 * not depend on response i, so that the gradient is unbiased. It equals `G/(G-1) (R_i - mean R)`.
 *
 * @param rewards of the group; NaN marks an invalid reward, which gets 0 and is in nobody's baseline
 * @returns one advantage per response; all 0 when fewer than two rewards are valid
 */
export function rlooAdvantages(rewards: ArrayLike<number>): Float64Array {
  const advantages = new Float64Array(rewards.length);
  let sum = 0;
  let count = 0;
  for (let i = 0; i < rewards.length; i++) {
    if (Number.isNaN(rewards[i])) continue;
    sum += rewards[i];
    count++;
  }
  if (count < 2) return advantages;
  for (let i = 0; i < rewards.length; i++) {
    if (!Number.isNaN(rewards[i])) advantages[i] = rewards[i] - (sum - rewards[i]) / (count - 1);
  }
  return advantages;
}
