import type { Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';

/** One prompt's draws for a majority vote. */
export interface VoteDraws {
  /** The class of equal answers of each draw; negative for a reply without an answer, which never votes. */
  answers: Numbers;
  /** The class of the right answer; any other number when no draw has it. */
  gold: number;
}

/**
 * The accuracy of a majority vote over all draws of each prompt ("maj@n"), mean over prompts. A tie gives the right
 * answer its share of the tied ones; a prompt where nobody answers scores 0. Null without prompts.
 */
export function majorityAccuracy(prompts: readonly VoteDraws[]): Estimate {
  if (prompts.length === 0) return undefinedBecause('there are no prompts');
  return defined(prompts.reduce((sum, { answers, gold }) => sum + voteScore(answers, gold), 0) / prompts.length);
}

/**
 * The expected accuracy of a majority vote over k of the draws of each prompt ("maj@k"), as the mean over random subsets
 * without replacement. With k equal to the number of draws it is exact.
 *
 * @param random uniform numbers in [0, 1), seeded by the caller
 * @param subsets per prompt, default 200
 * @returns null when a prompt has fewer than k draws
 */
export function majorityAccuracyAtK(
  prompts: readonly VoteDraws[],
  k: number,
  random: () => number,
  subsets = 200,
): Estimate {
  if (!Number.isInteger(k) || k < 1) throw new RangeError(`k is ${k}; it must be a whole number of at least 1`);
  if (prompts.length === 0) return undefinedBecause('there are no prompts');
  let sum = 0;
  for (const { answers, gold } of prompts) {
    const n = answers.length;
    if (k > n) return undefinedBecause(`k = ${k} is above the ${n} draws of a prompt`);
    if (k === n) {
      sum += voteScore(answers, gold);
      continue;
    }
    const pool = Array.from(answers);
    for (let subset = 0; subset < subsets; subset++) {
      // The first k of a partial shuffle are a uniform subset, whatever order the pool was in before.
      for (let i = 0; i < k; i++) {
        const j = i + Math.floor(random() * (n - i));
        [pool[i], pool[j]] = [pool[j], pool[i]];
      }
      sum += voteScore(pool.slice(0, k), gold) / subsets;
    }
  }
  return defined(sum / prompts.length);
}

/** 1, 0, or 1 / (number of tied leaders) when the right answer is among them. */
function voteScore(answers: Numbers, gold: number): number {
  const votes = new Map<number, number>();
  for (let i = 0; i < answers.length; i++) {
    if (answers[i] >= 0) votes.set(answers[i], (votes.get(answers[i]) ?? 0) + 1);
  }
  const most = Math.max(0, ...votes.values());
  if (most === 0 || votes.get(gold) !== most) return 0;
  return 1 / [...votes.values()].filter((count) => count === most).length;
}
