import { checkProbabilities, type Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';
import { type RankedScores, rankScores } from './ranked-scores.js';
import { type BinOptions, type ReliabilityBin, reliabilityBinsOfRanked } from './reliability-bins.js';

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

/** How the gaps of filled bins become one number. */
const COMBINE = {
  expected: (bins: FilledBin[], n: number) => bins.reduce((sum, bin) => sum + (bin.count / n) * gap(bin), 0),
  maximum: (bins: FilledBin[]) => Math.max(...bins.map(gap)),
  adaptive: (bins: FilledBin[]) => bins.reduce((sum, bin) => sum + gap(bin), 0) / bins.length,
  rootMeanSquare: (bins: FilledBin[], n: number) =>
    Math.sqrt(bins.reduce((sum, bin) => sum + (bin.count / n) * gap(bin) ** 2, 0)),
  debiasedSquared: (bins: FilledBin[], n: number) => {
    if (bins.some(({ count }) => count <= 1)) return 'a bin holds a single answer; use fewer bins';
    return bins.reduce((sum, bin) => {
      const noise = (bin.accuracy * (1 - bin.accuracy)) / (bin.count - 1);
      return sum + (bin.count / n) * (gap(bin) ** 2 - noise);
    }, 0);
  },
} satisfies Record<string, (filled: FilledBin[], n: number) => number | string>;

/** The kinds of calibration error that are made of bins. */
export type CalibrationErrorKind = keyof typeof COMBINE;

const gap = ({ accuracy, confidence }: FilledBin) => Math.abs(accuracy - confidence);

/** The calibration error of that kind, of confidences that are already ranked. */
export function calibrationErrorOfRanked(
  kind: CalibrationErrorKind,
  ranked: RankedScores,
  options: BinOptions = {},
): CalibrationError {
  const binning = kind === 'adaptive' ? ({ binning: 'equal-mass' } as const) : {};
  const bins = reliabilityBinsOfRanked(ranked, { ...options, ...binning });
  return combineBins(bins, ranked.n, COMBINE[kind]);
}

/** The same of confidences as they come. */
function calibrationError(
  kind: CalibrationErrorKind,
  confidences: Numbers,
  labels: Numbers,
  options: BinOptions,
): CalibrationError {
  checkProbabilities(confidences);
  return calibrationErrorOfRanked(kind, rankScores(confidences, labels), options);
}

/**
 * The expected calibration error: the mean over answers of |accuracy - confidence| of their bin (Naeini et al. 2015,
 * Guo et al. 2017). Null without answers.
 */
export function expectedCalibrationError(
  confidences: Numbers,
  labels: Numbers,
  options: BinOptions = {},
): CalibrationError {
  return calibrationError('expected', confidences, labels, options);
}

/** The maximum calibration error: the largest |accuracy - confidence| of a bin with answers (Naeini et al. 2015). */
export function maximumCalibrationError(
  confidences: Numbers,
  labels: Numbers,
  options: BinOptions = {},
): CalibrationError {
  return calibrationError('maximum', confidences, labels, options);
}

/**
 * The adaptive calibration error: the plain mean of |accuracy - confidence| over bins of equal mass (Nixon et al. 2019,
 * for the one event that an answer is correct).
 */
export function adaptiveCalibrationError(confidences: Numbers, labels: Numbers, binCount = 15): CalibrationError {
  return calibrationError('adaptive', confidences, labels, { binCount });
}

/** The root mean square calibration error: the square root of the mean over answers of their bin's squared gap. */
export function rootMeanSquareCalibrationError(
  confidences: Numbers,
  labels: Numbers,
  options: BinOptions = {},
): CalibrationError {
  return calibrationError('rootMeanSquare', confidences, labels, options);
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
  return calibrationError('debiasedSquared', confidences, labels, options);
}
