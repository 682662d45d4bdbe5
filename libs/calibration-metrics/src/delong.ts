import jStat from 'jstat';
import { checkScoresAndLabels, type Numbers } from './checks.js';
import type { IntervalEstimate } from './estimate.js';

/** An AUC with DeLong's variance and interval. */
export interface DelongEstimate extends IntervalEstimate {
  /** The variance of the AUC; null where it is undefined. */
  variance: number | null;
}

/** The difference of two AUCs on the same answers and its test. */
export interface DelongTest extends IntervalEstimate {
  /** The difference over its standard error; null when the standard error is 0. */
  z: number | null;
  /** Two-sided. */
  pValue: number | null;
}

/** What each answer contributes: the share of the other class that it is ranked right against, ties one half. */
interface Placements {
  right: Float64Array;
  wrong: Float64Array;
  auc: number;
}

/**
 * DeLong's variance of the AUC and the normal interval around it (DeLong et al. 1988), by mid-ranks in O(n log n)
 * (Sun & Xu 2014). Limits are clipped to [0, 1]. The answers must be independent: for several draws per prompt use
 * `clusterBootstrap`. A perfect AUC has variance 0 and an interval without width, which says little for small n.
 *
 * @param level two-sided, default 0.95
 * @returns null with the reason when a class has fewer than two answers
 */
export function delongInterval(scores: Numbers, labels: Numbers, level = 0.95): DelongEstimate {
  const placements = placementsOf(scores, labels);
  const reason = tooFew(placements);
  if (reason) {
    const value = Number.isNaN(placements.auc) ? null : placements.auc;
    return { value, low: null, high: null, variance: null, reason };
  }
  const { right, wrong, auc } = placements;
  const variance = covariance(right, right) / right.length + covariance(wrong, wrong) / wrong.length;
  const halfWidth = normalQuantile((1 + level) / 2) * Math.sqrt(variance);
  return { value: auc, low: Math.max(0, auc - halfWidth), high: Math.min(1, auc + halfWidth), variance, reason: null };
}

/**
 * DeLong's test of two AUCs of the same answers under two scores: first minus second (DeLong et al. 1988). When the
 * difference has no variance (the scores rank alike), z is null and the p-value is 1 for no difference and 0 else.
 */
export function delongTest(first: Numbers, second: Numbers, labels: Numbers, level = 0.95): DelongTest {
  const [a, b] = [placementsOf(first, labels), placementsOf(second, labels)];
  const reason = tooFew(a);
  if (reason) return { value: null, low: null, high: null, z: null, pValue: null, reason };
  const varianceOf = (x: keyof Placements & ('right' | 'wrong')) =>
    (covariance(a[x], a[x]) + covariance(b[x], b[x]) - 2 * covariance(a[x], b[x])) / a[x].length;
  // Rounding may leave a hair below zero where both scores rank alike.
  const variance = Math.max(0, varianceOf('right') + varianceOf('wrong'));
  const value = a.auc - b.auc;
  const deviation = Math.sqrt(variance);
  const halfWidth = normalQuantile((1 + level) / 2) * deviation;
  const z = deviation > 1e-12 ? value / deviation : null;
  const pValue = z === null ? (Math.abs(value) < 1e-12 ? 1 : 0) : 2 * (1 - jStat.normal.cdf(Math.abs(z), 0, 1));
  return { value, low: value - halfWidth, high: value + halfWidth, z, pValue, reason: null };
}

function placementsOf(scores: Numbers, labels: Numbers): Placements {
  checkScoresAndLabels(scores, labels);
  const of = (label: number) => [...Array(scores.length).keys()].filter((i) => labels[i] === label);
  const [rightIndices, wrongIndices] = [of(1), of(0)];
  const sorted = (indices: number[]) => Float64Array.from(indices, (i) => scores[i]).sort();
  const [rightScores, wrongScores] = [sorted(rightIndices), sorted(wrongIndices)];
  /** The share of the sorted numbers that are below the value, ties one half. */
  const shareBelow = (value: number, numbers: Float64Array) =>
    (bound(numbers, value, false) + bound(numbers, value, true)) / 2 / numbers.length;
  const right = Float64Array.from(rightIndices, (i) => shareBelow(scores[i], wrongScores));
  const wrong = Float64Array.from(wrongIndices, (i) => 1 - shareBelow(scores[i], rightScores));
  return { right, wrong, auc: right.reduce((sum, share) => sum + share, 0) / right.length };
}

/** How many of the sorted numbers are below the value, or not above it. */
function bound(sorted: Float64Array, value: number, inclusive: boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value || (inclusive && sorted[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function tooFew({ right, wrong }: Placements): string | null {
  if (right.length < 2) return right.length === 0 ? 'no answer is correct' : 'only one answer is correct';
  if (wrong.length < 2) return wrong.length === 0 ? 'no answer is wrong' : 'only one answer is wrong';
  return null;
}

/** The sample covariance, divided by n - 1. */
function covariance(a: Float64Array, b: Float64Array): number {
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  return a.reduce((sum, value, i) => sum + (value - meanA) * (b[i] - meanB), 0) / (a.length - 1);
}

function normalQuantile(probability: number): number {
  return jStat.normal.inv(probability, 0, 1);
}
