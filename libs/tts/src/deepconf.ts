import type { ProblemDraws, Votes } from './draws.js';
import { firstGroupBelow, type TraceConfidence, type TraceOptions, traceConfidences } from './trace-confidence.js';
import { allOf, column, confidenceVotes, type Subset } from './votes.js';

export interface DeepConfOptions extends TraceOptions {
  confidence: TraceConfidence;
  /** The share of the surest traces that vote: 0.1 or 0.9 in DeepConf. At least one does. */
  keep: number;
}

/**
 * Offline DeepConf: the surest share of the traces with an answer votes, each with its confidence as weight. The weight
 * is exp(confidence), since confidences are log-probabilities. Traces as sure as the last one kept are kept too.
 */
export function deepConfVotes(draws: ProblemDraws, subset: Subset, options: DeepConfOptions): Votes {
  const tokens = column(draws.tokenLogprobs, 'tokenLogprobs');
  const confidence = traceConfidences(options.confidence, tokens, options);
  const answered = Array.from(subset).filter((draw) => draws.answers[draw] >= 0 && tokens[draw].length > 0);
  const sorted = answered.map((draw) => confidence[draw]).sort((a, b) => b - a);
  const least = sorted[Math.max(1, Math.ceil(options.keep * sorted.length)) - 1];
  const kept = answered.filter((draw) => confidence[draw] >= least);
  return confidenceVotes({ ...draws, confidence: confidence.map(Math.exp) }, kept);
}

export interface OnlineOptions extends TraceOptions {
  /** Traces that are drawn whole, from which the threshold is taken. 16 in DeepConf. */
  warmup: number;
  /** The share of the warm-up traces whose lowest group lies above the threshold: 0.1 or 0.9 in DeepConf. */
  keep: number;
}

/** What online DeepConf would have done. */
export interface OnlineReplay {
  votes: Votes;
  /** Tokens that would have been drawn. */
  tokens: number;
  /** Draws that would have been stopped before their end. */
  stopped: number;
}

/**
 * Online DeepConf, replayed on recorded traces in their order: the first ones are drawn whole and give the threshold of
 * the lowest group confidence; each later one would have been stopped at the first group below it, and then has no
 * vote. All others vote with exp(lowest group confidence) as weight.
 */
export function replayOnline(draws: ProblemDraws, subset: Subset = allOf(draws), options: OnlineOptions): OnlineReplay {
  const traces = column(draws.tokenLogprobs, 'tokenLogprobs');
  const order = Array.from(subset);
  const lowestOf = traceConfidences('lowest-group', traces, options);
  const lowest = (draw: number) => lowestOf[draw];
  const warm = order
    .slice(0, options.warmup)
    .map(lowest)
    .filter((value) => !Number.isNaN(value))
    .sort((a, b) => b - a);
  const threshold = warm[Math.max(1, Math.ceil(options.keep * warm.length)) - 1] ?? Number.NEGATIVE_INFINITY;
  const confidence = new Float64Array(draws.answers.length);
  const voters: number[] = [];
  let [tokens, stopped] = [0, 0];
  for (const [place, draw] of order.entries()) {
    const { length } = traces[draw];
    // A trace whose lowest group is not below the threshold has none that is.
    const isWhole = place < options.warmup || !(lowest(draw) < threshold);
    const end = isWhole ? -1 : firstGroupBelow(traces[draw], options.window, threshold);
    // The group that ends at a token is known when that token is drawn.
    tokens += end < 0 ? length : Math.min(length, end + Math.min(options.window, length));
    if (end >= 0) stopped++;
    else if (length > 0) {
      confidence[draw] = Math.exp(lowest(draw));
      voters.push(draw);
    }
  }
  return { votes: confidenceVotes({ ...draws, confidence }, voters), tokens, stopped };
}
