import type { Numbers } from './checks.js';
import { type RankedScores, rankScores } from './ranked-scores.js';

/** A receiver operating characteristic: one point per distinct score, from (0, 0) to (1, 1). */
export interface RocCurve {
  /** Answers with at least this score count as positive; the first is Infinity. Descending. */
  thresholds: Float64Array;
  /** The share of wrong answers that count as positive. */
  falsePositiveRate: Float64Array;
  /** The share of correct answers that count as positive. */
  truePositiveRate: Float64Array;
  /** Why the curve is empty; null when it is not. */
  reason: string | null;
}

/**
 * The ROC curve (Fawcett 2006). Tied scores make one diagonal segment, so the area under it by the trapezoid rule is
 * exactly `auc`. Empty with a reason when one class is missing.
 */
export function rocCurve(scores: Numbers, labels: Numbers): RocCurve {
  return rocCurveOfRanked(rankScores(scores, labels));
}

/** `rocCurve` of scores that are already ranked. */
export function rocCurveOfRanked({ n, positives, values, counts, positiveCounts }: RankedScores): RocCurve {
  const negatives = n - positives;
  if (positives === 0 || negatives === 0) {
    const empty = new Float64Array(0);
    const reason = positives === 0 ? 'no answer is correct' : 'no answer is wrong';
    return { thresholds: empty, falsePositiveRate: empty, truePositiveRate: empty, reason };
  }
  const points = values.length + 1;
  const curve = {
    thresholds: new Float64Array(points),
    falsePositiveRate: new Float64Array(points),
    truePositiveRate: new Float64Array(points),
    reason: null,
  };
  curve.thresholds[0] = Number.POSITIVE_INFINITY;
  let right = 0;
  let wrong = 0;
  for (let point = 1; point < points; point++) {
    const group = values.length - point;
    right += positiveCounts[group];
    wrong += counts[group] - positiveCounts[group];
    curve.thresholds[point] = values[group];
    curve.falsePositiveRate[point] = wrong / negatives;
    curve.truePositiveRate[point] = right / positives;
  }
  return curve;
}
