/** Over what a loss is a mean. */
export type Aggregation = 'token-mean' | 'sequence-mean' | 'constant-length';

/** How rows are summed to a loss: `1/divisor sum_t weight_t term_t`. */
export interface AggregationWeights {
  divisor: number;
  /** Per response; null when all tokens count alike. */
  weightOfResponse: Float64Array | null;
}

/**
 * What the terms of a minibatch's tokens are weighed and divided by.
 *
 * - `token-mean` (DAPO, verl's default): 1 over the tokens of the minibatch. A long response counts more.
 * - `sequence-mean` (GRPO's paper): the mean over each response's tokens, then over responses. A token of a long
 *   response counts less, so that long wrong responses are punished less per token.
 * - `constant-length` (Dr. GRPO): 1 over responses times a constant length. A token counts the same in every minibatch.
 *
 * @param lengths response tokens of every response that is in the loss, masked ones included and excluded ones not
 * @param constantLength tokens; used by `constant-length` only
 * @returns the divisor is 0 when there is nothing to sum; the caller leaves the update out
 *
 * @example
 * aggregationOf('sequence-mean', [2, 4], 8) // { divisor: 2, weightOfResponse: [1/2, 1/4] }
 */
export function aggregationOf(
  aggregation: Aggregation,
  lengths: ArrayLike<number>,
  constantLength: number,
): AggregationWeights {
  if (aggregation === 'sequence-mean') {
    return {
      divisor: lengths.length,
      weightOfResponse: Float64Array.from(lengths, (length) => (length > 0 ? 1 / length : 0)),
    };
  }
  if (aggregation === 'constant-length') {
    return { divisor: lengths.length * constantLength, weightOfResponse: null };
  }
  let tokens = 0;
  for (let i = 0; i < lengths.length; i++) tokens += lengths[i];
  return { divisor: tokens, weightOfResponse: null };
}
