import { InputError } from '@capo/samples';

/** Which tokens can be drawn. What is absent is off. */
export interface Truncation {
  /** The k most probable tokens; equals of the last of them are kept too. */
  topK?: number | undefined;
  /** The most probable tokens up to and including the one that brings their sum to p. */
  topP?: number | undefined;
  /** Tokens at least this probable, relative to the most probable one. */
  minP?: number | undefined;
}

/** @throws InputError for values without meaning */
export function checkTruncation({ topK, topP, minP }: Truncation): void {
  if (topK !== undefined && !(Number.isInteger(topK) && topK >= 1)) {
    throw new InputError(`top-k is ${topK}; it must be a whole number of at least 1.`);
  }
  if (topP !== undefined && !(topP > 0 && topP <= 1)) throw new InputError(`top-p is ${topP}; it must be in (0, 1].`);
  if (minP !== undefined && !(minP >= 0 && minP <= 1)) throw new InputError(`min-p is ${minP}; it must be in [0, 1].`);
}

/** Whether anything is cut off. */
export function truncates({ topK, topP, minP }: Truncation): boolean {
  return topK !== undefined || (topP !== undefined && topP < 1) || (minP !== undefined && minP > 0);
}

/**
 * Sets the weights of tokens that cannot be drawn to 0: top-k first, then top-p on what is left, renormalised, then
 * min-p. Equals at a border are kept together by top-k and min-p; top-p takes them by their id until its sum is reached.
 * The most probable token is always kept.
 *
 * @param weights of `vocab` tokens, not negative, in any scale; changed in place
 * @returns the sum of the weights that are left
 */
export function truncate(weights: Float64Array, vocab: number, { topK, topP, minP }: Truncation): number {
  let largest = 0;
  let sum = 0;
  for (let i = 0; i < vocab; i++) {
    if (weights[i] > largest) largest = weights[i];
    sum += weights[i];
  }
  if (topK !== undefined && topK < vocab) sum = cutBelow(weights, vocab, kthLargest(weights, vocab, topK));
  if (topP !== undefined && topP < 1) sum = nucleus(weights, vocab, sum, topP);
  if (minP !== undefined && minP > 0) sum = cutBelow(weights, vocab, minP * largest);
  return sum;
}

function cutBelow(weights: Float64Array, vocab: number, least: number): number {
  let sum = 0;
  for (let i = 0; i < vocab; i++) {
    if (weights[i] < least) weights[i] = 0;
    else sum += weights[i];
  }
  return sum;
}

/** The k-th largest weight, through a heap of the k largest with the smallest of them on top. */
function kthLargest(weights: Float64Array, vocab: number, k: number): number {
  const heap = new Float64Array(k);
  heap.set(weights.subarray(0, k));
  for (let i = k >> 1; i-- > 0; ) siftDown(heap, i);
  for (let i = k; i < vocab; i++) {
    if (weights[i] <= heap[0]) continue;
    heap[0] = weights[i];
    siftDown(heap, 0);
  }
  return heap[0];
}

function siftDown(heap: Float64Array, from: number): void {
  const value = heap[from];
  let at = from;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= value) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = value;
}

function nucleus(weights: Float64Array, vocab: number, sum: number, topP: number): number {
  // Tokens this improbable weigh less than 1 - p all together, so that the nucleus is complete without them, and only
  // the others, a few hundred of a large vocabulary, have to be sorted.
  const least = (sum * (1 - topP)) / vocab;
  const candidates: number[] = [];
  for (let i = 0; i < vocab; i++) if (weights[i] > 0 && weights[i] >= least) candidates.push(i);
  candidates.sort((a, b) => weights[b] - weights[a] || a - b);
  let kept = 0;
  let count = 0;
  while (count < candidates.length && (count === 0 || kept < topP * sum)) kept += weights[candidates[count++]];
  const values = candidates.slice(0, count).map((i) => weights[i]);
  weights.fill(0, 0, vocab);
  for (let j = 0; j < count; j++) weights[candidates[j]] = values[j];
  return kept;
}
