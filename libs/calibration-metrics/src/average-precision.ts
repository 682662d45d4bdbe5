import type { Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';
import { type RankedScores, rankScores } from './ranked-scores.js';

/**
 * Average precision, the area under the precision-recall curve as a sum of steps:
 * `sum over distinct scores, highest first, of (recall_k - recall_{k-1}) precision_k` (Manning et al. 2008, with one
 * step per group of tied scores). No interpolation, which would be optimistic. Null when no answer is correct.
 */
export function averagePrecision(scores: Numbers, labels: Numbers): Estimate {
  return averagePrecisionOfRanked(rankScores(scores, labels));
}

/** `averagePrecision` of scores that are already ranked. */
export function averagePrecisionOfRanked({ n, positives, counts, positiveCounts }: RankedScores): Estimate {
  if (positives === 0) return undefinedBecause(n === 0 ? 'there are no answers' : 'no answer is correct');
  let area = 0;
  let given = 0;
  let correct = 0;
  for (let group = counts.length - 1; group >= 0; group--) {
    given += counts[group];
    correct += positiveCounts[group];
    area += (positiveCounts[group] / positives) * (correct / given);
  }
  return defined(area);
}
