import { tf } from '@capo/model';

/**
 * SimKO's ratio (arXiv 2510.14807) at forking tokens of right responses:
 * `(1 - a) r_t + (a/K) sum over k of sg(r_t) / sg(r_t^(k)) r_t^(k)`, with sg = no gradient. Its value is r_t; of its
 * gradient, the share a goes to the K most probable tokens in place of the one that was drawn. The old probability of
 * the k-th token cancels, since `r^(k) / sg(r^(k)) = pi(k) / sg(pi(k))`.
 *
 * @param ratio of each token; gradients flow through it. [rows]
 * @param topLogprobs of the K most probable tokens of each row, one tensor for each k; gradients flow through. K x [rows]
 * @param shared a for each row: 0 where the ratio stays as it is. [rows]
 * @returns [rows]
 */
export function simkoRatio(
  ratio: tf.Tensor1D,
  topLogprobs: readonly tf.Tensor1D[],
  shared: ArrayLike<number>,
): tf.Tensor1D {
  return tf.tidy(() => {
    const share = tf.tensor1d(Float32Array.from(shared));
    const value = detached(ratio);
    let result = ratio.mul(tf.sub(1, share));
    for (const logprob of topLogprobs) {
      const one = logprob.sub(detached(logprob)).exp();
      result = result.add(one.mul(value).mul(share.div(topLogprobs.length)));
    }
    return result as tf.Tensor1D;
  });
}

/** The same numbers without a gradient. */
function detached(x: tf.Tensor1D): tf.Tensor1D {
  return tf.tensor1d(x.dataSync().slice());
}
