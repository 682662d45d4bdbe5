import { checkProbabilities, checkScoresAndLabels, type Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';

/** One bin of a reliability diagram. */
export interface ReliabilityBin {
  /** Lower edge, open, but for the first bin, which holds 0. */
  low: number;
  /** Upper edge, closed. */
  high: number;
  count: number;
  /** The mean confidence of the bin's answers; null when it is empty. */
  confidence: number | null;
  /** The share of the bin's answers that are correct; null when it is empty. */
  accuracy: number | null;
}

/** An expected calibration error and the bins behind it. */
export interface CalibrationError extends Estimate {
  bins: ReliabilityBin[];
}

/**
 * The bins of a reliability diagram with equal widths: exactly `binCount` of them, empty ones kept. Bin k holds the
 * confidences in (k / binCount, (k + 1) / binCount]; 0 is in the first bin and 1 in the last (Guo et al. 2017).
 * Edges are compared as float64 numbers.
 *
 * @param confidences the stated probability that the answer is correct, in [0, 1]
 * @param labels 1: the answer is correct, 0: it is not
 * @throws RangeError for a confidence outside [0, 1] (the scale is never guessed) or a bad bin count
 */
export function reliabilityBins(confidences: Numbers, labels: Numbers, binCount: number): ReliabilityBin[] {
  checkScoresAndLabels(confidences, labels);
  checkProbabilities(confidences);
  if (!Number.isInteger(binCount) || binCount < 1) throw new RangeError(`${binCount} bins; at least 1 is needed`);
  const counts = new Float64Array(binCount);
  const confidenceSums = new Float64Array(binCount);
  const correct = new Float64Array(binCount);
  for (let i = 0; i < confidences.length; i++) {
    const bin = binOf(confidences[i], binCount);
    counts[bin]++;
    confidenceSums[bin] += confidences[i];
    correct[bin] += labels[i];
  }
  return Array.from(counts, (count, bin) => ({
    low: bin / binCount,
    high: (bin + 1) / binCount,
    count,
    confidence: count ? confidenceSums[bin] / count : null,
    accuracy: count ? correct[bin] / count : null,
  }));
}

/** The bin of a confidence. The product may round across an edge, so the edges themselves decide. */
export function binOf(confidence: number, binCount: number): number {
  let bin = Math.min(binCount - 1, Math.max(0, Math.ceil(confidence * binCount) - 1));
  if (bin > 0 && confidence <= bin / binCount) bin--;
  else if (bin < binCount - 1 && confidence > (bin + 1) / binCount) bin++;
  return bin;
}

/**
 * The expected calibration error: the mean over answers of |accuracy - confidence| of their bin (Naeini et al. 2015),
 * with bins of equal width. Null without answers.
 */
export function expectedCalibrationError(confidences: Numbers, labels: Numbers, binCount = 15): CalibrationError {
  const bins = reliabilityBins(confidences, labels, binCount);
  const n = confidences.length;
  if (n === 0) return { ...undefinedBecause('there are no answers'), bins };
  let error = 0;
  for (const { count, confidence, accuracy } of bins) {
    if (confidence !== null && accuracy !== null) error += (count / n) * Math.abs(accuracy - confidence);
  }
  return { ...defined(error), bins };
}
