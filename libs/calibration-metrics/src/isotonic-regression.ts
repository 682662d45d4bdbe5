import type { Numbers } from './checks.js';
import { rankScores } from './ranked-scores.js';

/** A rising step function from scores to probabilities. */
export interface IsotonicRegression {
  /** The lowest score of each step, ascending. */
  thresholds: Float64Array;
  /** The probability of a correct answer on each step, ascending. */
  probabilities: Float64Array;
}

/**
 * Isotonic regression of correctness on the score: the rising function with the smallest squared error, by pooling
 * adjacent violators (Ayer et al. 1955; as a calibrator Zadrozny & Elkan 2002). Tied scores are pooled first. It may
 * merge scores that were different, which changes AUC; fit it on answers that are not reported on.
 *
 * @throws RangeError when there are no answers
 */
export function fitIsotonic(scores: Numbers, labels: Numbers): IsotonicRegression {
  const { values, counts, positiveCounts } = rankScores(scores, labels);
  if (values.length === 0) throw new RangeError('there are no answers to fit to');
  const blocks: { threshold: number; count: number; correct: number }[] = [];
  for (let group = 0; group < values.length; group++) {
    let block = { threshold: values[group], count: counts[group], correct: positiveCounts[group] };
    for (
      let last = blocks.at(-1);
      last && last.correct * block.count >= block.correct * last.count;
      last = blocks.at(-1)
    ) {
      block = { threshold: last.threshold, count: last.count + block.count, correct: last.correct + block.correct };
      blocks.pop();
    }
    blocks.push(block);
  }
  return {
    thresholds: Float64Array.from(blocks, ({ threshold }) => threshold),
    probabilities: Float64Array.from(blocks, ({ correct, count }) => correct / count),
  };
}

/** The probability that the step function gives a score; scores below the first step get its probability. */
export function predictIsotonic({ thresholds, probabilities }: IsotonicRegression, score: number): number {
  let low = 0;
  let high = thresholds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (thresholds[middle] <= score) low = middle + 1;
    else high = middle;
  }
  return probabilities[Math.max(0, low - 1)];
}
