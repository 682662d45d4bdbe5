import { checkScoresAndLabels, type Numbers } from './checks.js';

/**
 * Scores in order, grouped by value: what every ranking metric starts from. Made once, used by all, so that a whole
 * report sorts its data one time.
 */
export interface RankedScores {
  /** How many scores there are. */
  n: number;
  /** How many labels are 1. */
  positives: number;
  /** The distinct scores in ascending order. -0 and 0 are the same score. */
  values: Float64Array;
  /** Per distinct score: how many items have it. */
  counts: Float64Array;
  /** Per distinct score: how many of them have label 1. */
  positiveCounts: Float64Array;
}

/**
 * Sorts scores and counts ties. Scores are compared exactly: two scores are tied when they are the same number, so a
 * difference of 1e-7 is an order and not a tie. Infinite scores are allowed; NaN is not.
 *
 * The order is found without moving labels: scores with label 1 and with label 0 are sorted apart in typed arrays and
 * merged, O(n log n) time and two copies of the scores.
 *
 * @param scores higher means surer
 * @param labels 1: the answer is correct, 0: it is not
 * @throws RangeError for lengths that differ, a NaN score, or a label that is not 0 or 1, naming the index
 */
export function rankScores(scores: Numbers, labels: Numbers): RankedScores {
  checkScoresAndLabels(scores, labels);
  const n = scores.length;
  let positives = 0;
  for (let i = 0; i < n; i++) positives += labels[i];
  const right = new Float64Array(positives);
  const wrong = new Float64Array(n - positives);
  let r = 0;
  let w = 0;
  for (let i = 0; i < n; i++) {
    const score = scores[i] + 0; // -0 becomes 0
    if (labels[i] === 1) right[r++] = score;
    else wrong[w++] = score;
  }
  right.sort();
  wrong.sort();

  const values = new Float64Array(n);
  const counts = new Float64Array(n);
  const positiveCounts = new Float64Array(n);
  let groups = 0;
  r = 0;
  w = 0;
  while (r < right.length || w < wrong.length) {
    const value = w >= wrong.length || (r < right.length && right[r] < wrong[w]) ? right[r] : wrong[w];
    const startRight = r;
    const startWrong = w;
    while (r < right.length && right[r] === value) r++;
    while (w < wrong.length && wrong[w] === value) w++;
    values[groups] = value;
    positiveCounts[groups] = r - startRight;
    counts[groups] = r - startRight + (w - startWrong);
    groups++;
  }
  return {
    n,
    positives,
    values: values.subarray(0, groups),
    counts: counts.subarray(0, groups),
    positiveCounts: positiveCounts.subarray(0, groups),
  };
}
