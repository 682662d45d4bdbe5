import type { RankedScores } from './ranked-scores.js';
import { selectiveAccuracyOfRanked } from './selective-accuracy.js';

/** How two precision-coverage curves lie to each other. */
export interface ParetoComparison {
  /** `dominates`: the first is nowhere below and somewhere above the second. */
  relation: 'dominates' | 'is dominated' | 'equal' | 'crosses';
  /** The share of the compared coverages at which the first is above the second. */
  shareAbove: number;
  /** The share at which it is below. */
  shareBelow: number;
}

/**
 * Compares two precision-coverage curves at every coverage k / n up to 1, with n the larger number of answers, by
 * `selectiveAccuracy`, so that curves with different thresholds can be compared. Differences below 1e-12 count as equal.
 */
export function comparePareto(first: RankedScores, second: RankedScores): ParetoComparison {
  const n = Math.max(first.n, second.n);
  if (Math.min(first.n, second.n) === 0) throw new RangeError('a curve without answers cannot be compared');
  const coverages = Float64Array.from({ length: n }, (_, k) => (k + 1) / n);
  const [a, b] = [first, second].map((ranked) => selectiveAccuracyOfRanked(ranked, coverages) as number[]);
  let above = 0;
  let below = 0;
  for (let k = 0; k < n; k++) {
    if (a[k] - b[k] > 1e-12) above++;
    else if (b[k] - a[k] > 1e-12) below++;
  }
  const relation = above > 0 ? (below > 0 ? 'crosses' : 'dominates') : below > 0 ? 'is dominated' : 'equal';
  return { relation, shareAbove: above / n, shareBelow: below / n };
}
