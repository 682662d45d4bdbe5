import jStat from 'jstat';
import type { Numbers } from './checks.js';
import { rankScores } from './ranked-scores.js';

/** A threshold with a promise: with probability 1 - delta, the precision of the answers it lets through is at least the target. */
export interface GuaranteedThreshold {
  /** Answers with at least this score are given; null when no threshold could be certified. */
  threshold: number | null;
  /** On the calibration answers; 0 when there is no threshold. */
  coverage: number;
  precision: number | null;
  /** The lower confidence bound on the precision that certified it. */
  lowerBound: number | null;
  /** Thresholds that were tested before the first failure. */
  tested: number;
}

/**
 * The lower Clopper-Pearson bound on a share: the p at which `successes` or more of `trials` have probability `delta`
 * (Clopper & Pearson 1934), one-sided, exact for any n. 0 for no success.
 */
export function clopperPearsonLower(successes: number, trials: number, delta: number): number {
  checkCounts(successes, trials, delta);
  if (successes === 0) return 0;
  // P(X >= k | p) is the regularised incomplete beta function I_p(k, n - k + 1), which rises with p.
  return bisect((p) => jStat.ibeta(p, successes, trials - successes + 1) - delta);
}

/** The upper Clopper-Pearson bound on a share; 1 when every trial succeeded. */
export function clopperPearsonUpper(successes: number, trials: number, delta: number): number {
  checkCounts(successes, trials, delta);
  return 1 - clopperPearsonLower(trials - successes, trials, delta);
}

/**
 * The threshold of largest coverage whose precision on new answers is at least the target with probability 1 - delta
 * over the calibration answers, which must be independent draws of the same kind as the new ones. Learn then test
 * (Angelopoulos et al. 2021) with a fixed sequence: thresholds at coverages 1/steps, 2/steps, ..., surest first, are
 * tested one after the other by the Clopper-Pearson bound at level delta until the first failure, which needs no
 * correction for many tests. The sequence depends on the scores and not on the labels, as it must.
 *
 * @param target precision that is wanted, in (0, 1)
 * @param delta probability that the promise fails, default 0.05
 * @param steps thresholds of the sequence, default 50
 */
export function guaranteedThreshold(
  scores: Numbers,
  labels: Numbers,
  target: number,
  { delta = 0.05, steps = 50 }: { delta?: number; steps?: number } = {},
): GuaranteedThreshold {
  if (!(target > 0 && target < 1)) throw new RangeError(`target ${target} is not in (0, 1)`);
  const { n, values, counts, positiveCounts } = rankScores(scores, labels);
  let best: GuaranteedThreshold = { threshold: null, coverage: 0, precision: null, lowerBound: null, tested: 0 };
  let given = 0;
  let correct = 0;
  let group = values.length;
  let tested = 0;
  for (let step = 1; step <= steps && group > 0; step++) {
    // Tied answers are given together, so a step goes on to the end of a group.
    const before = given;
    while (group > 0 && given < (step / steps) * n) {
      group--;
      given += counts[group];
      correct += positiveCounts[group];
    }
    if (given === before) continue;
    tested++;
    const lowerBound = clopperPearsonLower(correct, given, delta);
    if (lowerBound < target) break;
    best = { threshold: values[group], coverage: given / n, precision: correct / given, lowerBound, tested };
  }
  return { ...best, tested };
}

/** The root of a rising function on [0, 1]. */
function bisect(rising: (x: number) => number): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 200 && high - low > 1e-15 * high; step++) {
    const middle = (low + high) / 2;
    if (rising(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function checkCounts(successes: number, trials: number, delta: number): void {
  const whole = Number.isInteger(successes) && Number.isInteger(trials);
  if (!whole || successes < 0 || successes > trials || trials < 1) {
    throw new RangeError(`${successes} successes of ${trials} trials`);
  }
  if (!(delta > 0 && delta < 1)) throw new RangeError(`delta ${delta} is not in (0, 1)`);
}
