/**
 * DAPO's soft overlong punishment of each response (Yu et al. 2025, arXiv 2503.14476, eq. 13), to be added to its
 * reward: 0 up to `maxTokens - buffer` tokens, then falling in a line to -1 at `maxTokens`, and -1 beyond.
 *
 * @param lengths response tokens, the end token included when it was drawn
 * @param maxTokens the most response tokens that the sampler allows; a truncated response has that many
 * @param buffer tokens over which the penalty grows; 0 punishes only responses of `maxTokens` and more
 *
 * @example
 * overlongPenalty([80, 90, 100], 100, 20) // [0, -0.5, -1]
 */
export function overlongPenalty(lengths: ArrayLike<number>, maxTokens: number, buffer: number): Float64Array {
  if (!(buffer >= 0 && buffer <= maxTokens)) {
    throw new RangeError(`the buffer is ${buffer} tokens; it must be from 0 to ${maxTokens}, the most tokens`);
  }
  const free = maxTokens - buffer;
  return Float64Array.from(lengths, (length) => {
    if (length >= maxTokens) return -1;
    return length <= free ? 0 : (free - length) / buffer;
  });
}
