import type { Numbers } from './checks.js';

// Every signal is NaN for a response without tokens, and higher always means surer.

/** The paper's `lpm`: the mean log-probability of the response's tokens. */
export function meanLogprob(logprobs: Numbers): number {
  return sequenceLogprob(logprobs) / logprobs.length;
}

/** The log-probability of the whole response: the sum over its tokens. It favours short responses. NaN without tokens. */
export function sequenceLogprob(logprobs: Numbers): number {
  if (logprobs.length === 0) return Number.NaN;
  let sum = 0;
  for (let t = 0; t < logprobs.length; t++) sum += logprobs[t];
  return sum;
}

/** Minus the perplexity, `-exp(-lpm)`: ranks as the mean log-probability does. */
export function negativePerplexity(logprobs: Numbers): number {
  return -Math.exp(-meanLogprob(logprobs));
}

/** The mean log-probability of the last `tokens` tokens (DeepConf's tail confidence, arXiv 2508.15260, on log-probabilities). */
export function tailConfidence(logprobs: Numbers, tokens: number): number {
  checkWindow(tokens);
  return windowMean(logprobs, Math.max(0, logprobs.length - tokens), logprobs.length);
}

/**
 * The lowest mean log-probability of a sliding window of `window` tokens (DeepConf's lowest group confidence). A
 * response shorter than the window is one group.
 */
export function lowestGroupConfidence(logprobs: Numbers, window: number): number {
  checkWindow(window);
  const size = Math.min(window, logprobs.length);
  if (size === 0) return Number.NaN;
  let lowest = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let t = 0; t < logprobs.length; t++) {
    sum += logprobs[t];
    if (t >= size) sum -= logprobs[t - size];
    if (t >= size - 1) lowest = Math.min(lowest, sum / size);
  }
  return lowest;
}

/** Minus the mean entropy of the distributions that the tokens were drawn from, in nats. */
export function negativeEntropy(entropies: Numbers): number {
  return -windowMean(entropies, 0, entropies.length);
}

function windowMean(values: Numbers, start: number, end: number): number {
  let sum = 0;
  for (let t = start; t < end; t++) sum += values[t];
  return sum / (end - start);
}

function checkWindow(tokens: number): void {
  if (!(Number.isInteger(tokens) && tokens >= 1)) throw new RangeError(`a window of ${tokens} tokens`);
}
