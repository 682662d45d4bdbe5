/** How the confidence of a trace is made from that of its tokens (DeepConf, Fu et al. 2025, arXiv 2508.15260). */
export type TraceConfidence = 'mean' | 'tail' | 'lowest-group' | 'bottom-groups';

export interface TraceOptions {
  /** Tokens of a group, and of the tail. DeepConf's is 2,048; a shorter trace is one group. */
  window: number;
}

/**
 * The means over sliding windows of tokens, in order; the whole trace when it is shorter. Empty for an empty trace.
 *
 * Token confidence here is the log-probability of the token that was drawn, where DeepConf has minus the mean
 * log-probability of the k most probable tokens: files record the former. Both are higher for surer tokens.
 */
export function groupConfidences(tokens: ArrayLike<number>, window: number): Float64Array {
  const n = tokens.length;
  const width = Math.min(window, n);
  if (n === 0) return new Float64Array(0);
  const groups = new Float64Array(n - width + 1);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    sum += tokens[i];
    if (i >= width) sum -= tokens[i - width];
    if (i >= width - 1) groups[i - width + 1] = sum / width;
  }
  return groups;
}

/** The index of the first group whose confidence is below a threshold; -1 when there is none. */
export function firstGroupBelow(tokens: ArrayLike<number>, window: number, threshold: number): number {
  const width = Math.min(window, tokens.length);
  let sum = 0;
  for (let i = 0; i < tokens.length; i++) {
    sum += tokens[i];
    if (i >= width) sum -= tokens[i - width];
    if (i >= width - 1 && sum / width < threshold) return i - width + 1;
  }
  return -1;
}

/** The confidence of a trace; NaN for an empty one. */
export function traceConfidence(kind: TraceConfidence, tokens: ArrayLike<number>, { window }: TraceOptions): number {
  if (tokens.length === 0) return Number.NaN;
  if (kind === 'mean') return mean(tokens);
  if (kind === 'tail') return mean(Array.prototype.slice.call(tokens, -window));
  const groups = groupConfidences(tokens, window).sort();
  if (kind === 'lowest-group') return groups[0];
  return mean(groups.subarray(0, Math.max(1, Math.ceil(groups.length / 10))));
}

const KNOWN = new WeakMap<readonly Float64Array[], Map<string, Float64Array>>();

/** The confidences of all traces of a problem, worked out once however many subsets ask for them. */
export function traceConfidences(
  kind: TraceConfidence,
  traces: readonly Float64Array[],
  options: TraceOptions,
): Float64Array {
  const known = KNOWN.get(traces) ?? new Map<string, Float64Array>();
  KNOWN.set(traces, known);
  const key = `${kind} ${options.window}`;
  let values = known.get(key);
  if (!values) {
    values = Float64Array.from(traces, (tokens) => traceConfidence(kind, tokens, options));
    known.set(key, values);
  }
  return values;
}

function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}
