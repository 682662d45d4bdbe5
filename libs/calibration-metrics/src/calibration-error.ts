import type { Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';
import type { RankedScores } from './ranked-scores.js';
import { type BinOptions, type ReliabilityBin, reliabilityBins, reliabilityBinsOfRanked } from './reliability-bins.js';

/** A calibration error and the bins behind it. */
export interface CalibrationError extends Estimate {
  bins: ReliabilityBin[];
}

/** A bin with answers in it. */
type FilledBin = ReliabilityBin & { confidence: number; accuracy: number };

/** A number from the filled bins and the count of all answers, or why there is none. */
function combineBins(
  bins: ReliabilityBin[],
  n: number,
  combine: (filled: FilledBin[], n: number) => number | string,
): CalibrationError {
  if (n === 0) return { ...undefinedBecause('there are no answers'), bins };
  const result = combine(
    bins.filter((bin): bin is FilledBin => bin.confidence !== null),
    n,
  );
  return { ...(typeof result === 'string' ? undefinedBecause(result) : defined(result)), bins };
}

function fromBins(
  confidences: Numbers,
  labels: Numbers,
  options: BinOptions,
  combine: (filled: FilledBin[], n: number) => number | string,
): CalibrationError {
  return combineBins(reliabilityBins(confidences, labels, options), confidences.length, combine);
}

const weightedGap = (bins: FilledBin[], n: number) => bins.reduce((sum, bin) => sum + (bin.count / n) * gap(bin), 0);

const gap = ({ accuracy, confidence }: FilledBin) => Math.abs(accuracy - confidence);

/**
 * The expected calibration error: the mean over answers of |accuracy - confidence| of their bin (Naeini et al. 2015,
 * Guo et al. 2017). Null without answers.
 */
export function expectedCalibrationError(
  confidences: Numbers,
  labels: Numbers,
  options: BinOptions = {},
): CalibrationError {
  return fromBins(confidences, labels, options, weightedGap);
}

/** `expectedCalibrationError` of confidences that are already ranked. */
export function expectedCalibrationErrorOfRanked(ranked: RankedScores, options: BinOptions = {}): CalibrationError {
  return combineBins(reliabilityBinsOfRanked(ranked, options), ranked.n, weightedGap);
}

/** The maximum calibration error: the largest |accuracy - confidence| of a bin with answers (Naeini et al. 2015). */
export function maximumCalibrationError(
  confidences: Numbers,
  labels: Numbers,
  options: BinOptions = {},
): CalibrationError {
  return fromBins(confidences, labels, options, (bins) => Math.max(...bins.map(gap)));
}

/**
 * The adaptive calibration error: the plain mean of |accuracy - confidence| over bins of equal mass (Nixon et al. 2019,
 * for the one event that an answer is correct). Bins that are empty, because there are fewer answers than bins, are left
 * out.
 */
export function adaptiveCalibrationError(confidences: Numbers, labels: Numbers, binCount = 15): CalibrationError {
  return fromBins(
    confidences,
    labels,
    { binCount, binning: 'equal-mass' },
    (bins) => bins.reduce((sum, bin) => sum + gap(bin), 0) / bins.length,
  );
}

/** The root mean square calibration error: the square root of the mean over answers of their bin's squared gap. */
export function rootMeanSquareCalibrationError(
  confidences: Numbers,
  labels: Numbers,
  options: BinOptions = {},
): CalibrationError {
  return fromBins(confidences, labels, options, (bins, n) =>
    Math.sqrt(bins.reduce((sum, bin) => sum + (bin.count / n) * gap(bin) ** 2, 0)),
  );
}

/**
 * The debiased estimate of the *squared* calibration error (Kumar et al. 2019, definition 5.2): from each bin's squared
 * gap, what sampling noise alone adds to it, `accuracy (1 - accuracy) / (count - 1)`, is taken off. It may be negative;
 * its expectation is right. Null when a bin holds a single answer, whose noise cannot be estimated.
 */
export function debiasedSquaredCalibrationError(
  confidences: Numbers,
  labels: Numbers,
  options: BinOptions = {},
): CalibrationError {
  return fromBins(confidences, labels, options, (bins, n) => {
    if (bins.some(({ count }) => count <= 1)) return 'a bin holds a single answer; use fewer bins';
    return bins.reduce((sum, bin) => {
      const noise = (bin.accuracy * (1 - bin.accuracy)) / (bin.count - 1);
      return sum + (bin.count / n) * (gap(bin) ** 2 - noise);
    }, 0);
  });
}
