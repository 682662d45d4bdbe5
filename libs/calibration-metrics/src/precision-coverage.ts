import type { Numbers } from './checks.js';
import { type RankedScores, rankScores } from './ranked-scores.js';

/** A precision-coverage curve, surest answers first: one point per distinct score. */
export interface PrecisionCoverage {
  /** Answers with at least this score are given, the rest is abstained from. Descending. */
  thresholds: Float64Array;
  /** The share of answers that are given. Ascending; the last is 1. */
  coverage: Float64Array;
  /** The share of correct answers among those given. */
  precision: Float64Array;
}

/**
 * The precision-coverage curve: abstention starts with the least sure answers. Answers with equal scores are given or
 * withheld together, so the curve has one point per group of tied scores and does not depend on the order of the
 * input. Coverage 0, where precision is undefined, is no point of the curve. Without answers the curve is empty.
 */
export function precisionCoverage(scores: Numbers, labels: Numbers): PrecisionCoverage {
  return precisionCoverageOfRanked(rankScores(scores, labels));
}

/** `precisionCoverage` of scores that are already ranked. */
export function precisionCoverageOfRanked({ n, values, counts, positiveCounts }: RankedScores): PrecisionCoverage {
  const points = values.length;
  const thresholds = new Float64Array(points);
  const coverage = new Float64Array(points);
  const precision = new Float64Array(points);
  let given = 0;
  let correct = 0;
  for (let point = 0; point < points; point++) {
    const group = points - 1 - point;
    given += counts[group];
    correct += positiveCounts[group];
    thresholds[point] = values[group];
    coverage[point] = given / n;
    precision[point] = correct / given;
  }
  return { thresholds, coverage, precision };
}
