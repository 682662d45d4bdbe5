import { grpoAdvantages } from './grpo.js';

/**
 * Dr. GRPO's advantage of each response of one group (Liu et al. 2025, arXiv 2503.20783, section 3.2): the centred
 * reward `A_i = R_i - mean R`, without GRPO's division by the deviation, which weighs easy and hard prompts more than
 * those in the middle. Its other half, the constant length in place of 1/|o_i|, is the objective's aggregation.
 *
 * @param rewards of the group; NaN marks an invalid reward, which gets 0 and takes no part in the mean
 * @returns one advantage per response; all 0 when all valid rewards are equal or fewer than two are valid
 */
export function drGrpoAdvantages(rewards: ArrayLike<number>): Float64Array {
  return grpoAdvantages(rewards, { scale: 'none' });
}
