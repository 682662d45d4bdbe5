import { checkProbabilities, type Numbers } from './checks.js';
import { type RankedScores, rankScores } from './ranked-scores.js';

/** One bin of a reliability diagram. */
export interface ReliabilityBin {
  /** Lower edge, open, but for the first bin, which holds 0. */
  low: number;
  /** Upper edge, closed. */
  high: number;
  /** Answers in the bin; with equal masses a group of tied scores may be shared between bins, so it need not be whole. */
  count: number;
  /** The mean confidence of the bin's answers; null when it is empty. */
  confidence: number | null;
  /** The share of the bin's answers that are correct; null when it is empty. */
  accuracy: number | null;
}

/** How confidences are put into bins. */
export interface BinOptions {
  /** Exactly that many bins, empty ones kept. Default 15. */
  binCount?: number;
  /** `equal-width`: edges k / binCount. `equal-mass`: as many answers in each. Default `equal-width`. */
  binning?: 'equal-width' | 'equal-mass';
}

/**
 * The bins of a reliability diagram (Guo et al. 2017); counts sum to n.
 *
 * - Equal widths: bin k holds the confidences in (k / binCount, (k + 1) / binCount]; 0 is in the first bin and 1 in the
 *   last. Edges are compared as float64 numbers, so a float32 0.3 (0.30000001...) lies above the edge 0.3.
 * - Equal masses (Nguyen & O'Connor 2015): n / binCount answers in each bin. A group of tied scores that crosses an edge
 *   is shared in proportion, right and wrong alike, so the bins do not depend on the order of the input.
 *
 * @param confidences the stated probability that the answer is correct, in [0, 1]
 * @param labels 1: the answer is correct, 0: it is not
 * @throws RangeError for a confidence outside [0, 1] (the scale is never guessed) or a bad bin count
 */
export function reliabilityBins(confidences: Numbers, labels: Numbers, options: BinOptions = {}): ReliabilityBin[] {
  checkProbabilities(confidences);
  return reliabilityBinsOfRanked(rankScores(confidences, labels), options);
}

/** `reliabilityBins` of confidences that are already ranked. */
export function reliabilityBinsOfRanked(ranked: RankedScores, options: BinOptions = {}): ReliabilityBin[] {
  const { binCount = 15, binning = 'equal-width' } = options;
  if (!Number.isInteger(binCount) || binCount < 1) throw new RangeError(`${binCount} bins; at least 1 is needed`);
  const { values } = ranked;
  if (values.length > 0 && !(values[0] >= 0 && values[values.length - 1] <= 1)) {
    throw new RangeError('a score lies outside [0, 1], so it is no probability');
  }
  return binning === 'equal-width' ? equalWidth(ranked, binCount) : equalMass(ranked, binCount);
}

function equalWidth({ values, counts, positiveCounts }: RankedScores, binCount: number): ReliabilityBin[] {
  const sums = new BinSums(binCount);
  for (let group = 0; group < values.length; group++) {
    sums.add(binOf(values[group], binCount), values[group], counts[group], positiveCounts[group]);
  }
  return sums.bins((bin) => [bin / binCount, (bin + 1) / binCount]);
}

function equalMass({ n, values, counts, positiveCounts }: RankedScores, binCount: number): ReliabilityBin[] {
  const sums = new BinSums(binCount);
  const highs = new Float64Array(binCount).fill(values.length ? values[values.length - 1] : 0);
  const capacity = n / binCount;
  let before = 0;
  for (let group = 0; group < values.length; group++) {
    // The group covers the ranks from `before` to `after`; each bin takes the part that lies in its range.
    const after = before + counts[group];
    const last = Math.min(binCount - 1, Math.ceil(after / capacity) - 1);
    for (let bin = Math.min(binCount - 1, Math.floor(before / capacity)); bin <= last; bin++) {
      const end = bin === binCount - 1 ? n : (bin + 1) * capacity;
      const part = (Math.min(after, end) - Math.max(before, bin * capacity)) / counts[group];
      if (part <= 0) continue;
      sums.add(bin, values[group], part * counts[group], part * positiveCounts[group]);
      highs[bin] = values[group];
    }
    before = after;
  }
  return sums.bins((bin) => [bin === 0 ? (values[0] ?? 0) : highs[bin - 1], highs[bin]]);
}

/** Counts, confidences and correct answers of each bin. */
class BinSums {
  private readonly counts: Float64Array;
  private readonly confidences: Float64Array;
  private readonly correct: Float64Array;

  constructor(binCount: number) {
    this.counts = new Float64Array(binCount);
    this.confidences = new Float64Array(binCount);
    this.correct = new Float64Array(binCount);
  }

  add(bin: number, confidence: number, count: number, correct: number): void {
    this.counts[bin] += count;
    this.confidences[bin] += count * confidence;
    this.correct[bin] += correct;
  }

  bins(edges: (bin: number) => [low: number, high: number]): ReliabilityBin[] {
    return Array.from(this.counts, (count, bin) => {
      const [low, high] = edges(bin);
      const mean = (sum: number) => (count > 0 ? sum / count : null);
      return { low, high, count, confidence: mean(this.confidences[bin]), accuracy: mean(this.correct[bin]) };
    });
  }
}

/** The bin of equal width of a confidence. The product may round across an edge, so the edges themselves decide. */
function binOf(confidence: number, binCount: number): number {
  let bin = Math.min(binCount - 1, Math.max(0, Math.ceil(confidence * binCount) - 1));
  if (bin > 0 && confidence <= bin / binCount) bin--;
  else if (bin < binCount - 1 && confidence > (bin + 1) / binCount) bin++;
  return bin;
}
