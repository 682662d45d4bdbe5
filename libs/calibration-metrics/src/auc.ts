import type { Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';
import { type RankedScores, rankScores } from './ranked-scores.js';

/** An AUC with the class counts behind it. */
export interface AucEstimate extends Estimate {
  positives: number;
  negatives: number;
}

/**
 * The area under the ROC curve: the probability that a random correct answer has a higher score than a random wrong
 * one, ties counting one half (Hanley & McNeil 1982; the Mann-Whitney U statistic with mid-ranks over
 * positives * negatives). This is the paper's measure of relative calibration. Exact under ties, whatever the order of
 * the input: pairs are counted, not ranks averaged.
 *
 * @returns null with the reason when one class is missing
 */
export function auc(scores: Numbers, labels: Numbers): AucEstimate {
  return aucOfRanked(rankScores(scores, labels));
}

/** `auc` of scores that are already ranked. */
export function aucOfRanked(ranked: RankedScores): AucEstimate {
  const { n, positives, counts, positiveCounts } = ranked;
  const negatives = n - positives;
  const classes = { positives, negatives };
  if (positives === 0 || negatives === 0) {
    const missing = n === 0 ? 'there are no answers' : positives === 0 ? 'no answer is correct' : 'no answer is wrong';
    return { ...undefinedBecause(missing), ...classes };
  }
  // Twice the number of pairs in the right order, so that halves stay whole numbers: exact up to 2^53.
  let twicePairs = 0;
  let negativesBelow = 0;
  for (let g = 0; g < counts.length; g++) {
    const tiedNegatives = counts[g] - positiveCounts[g];
    twicePairs += positiveCounts[g] * (2 * negativesBelow + tiedNegatives);
    negativesBelow += tiedNegatives;
  }
  return { ...defined(twicePairs / (2 * positives * negatives)), ...classes };
}
