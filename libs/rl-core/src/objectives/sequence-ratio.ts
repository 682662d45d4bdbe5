import { tf } from '@capo/model';

/** Which rows belong to which response, and how many each response has; every response has at least one. */
export interface RowLayout {
  /** For each row, the index of its response. */
  sequences: Int32Array;
  /** Rows per response. */
  lengths: Int32Array;
}

/**
 * GSPO's ratio of each response, repeated at each of its tokens: `s_i = exp(1/|o_i| sum_t log r_t)`, the geometric mean
 * of the token ratios (Zheng et al. 2025, arXiv 2507.18071, eq. 7). Only the response's own rows enter, so that neither
 * padding nor the order of responses or rows changes it.
 *
 * @param logprob under the policy that is trained; gradients flow through it. [rows]
 * @param oldLogprob under the policy that drew the tokens. [rows]
 * @returns [rows]
 */
export function sequenceRatio(logprob: tf.Tensor1D, oldLogprob: tf.Tensor1D, layout: RowLayout): tf.Tensor1D {
  return tf.tidy(() => meanOfResponse(logprob.sub(oldLogprob) as tf.Tensor1D, layout).exp() as tf.Tensor1D);
}

/** The mean over each response's rows, repeated at each of them; the gradient is the same map, which is symmetric. */
function meanOfResponse(rows: tf.Tensor1D, layout: RowLayout): tf.Tensor1D {
  const mean = tf.customGrad((x) => ({
    value: tf.tensor1d(responseMeans((x as tf.Tensor).dataSync(), layout)),
    gradFunc: (dy) => tf.tensor1d(responseMeans(dy.dataSync(), layout)),
  }));
  return mean(rows) as tf.Tensor1D;
}

/** The mean over each response's rows, repeated at each of them, as plain numbers. */
function responseMeans(values: ArrayLike<number>, { sequences, lengths }: RowLayout): Float32Array {
  const sums = new Float64Array(lengths.length);
  for (let row = 0; row < values.length; row++) sums[sequences[row]] += values[row];
  return Float32Array.from(values, (_, row) => sums[sequences[row]] / lengths[sequences[row]]);
}
