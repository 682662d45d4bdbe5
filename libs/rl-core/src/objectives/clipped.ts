import { tf } from '@capo/model';

/** One row per response token of a minibatch. */
export interface TokenRows {
  /** Log-probabilities under the policy that is trained; gradients flow through them. [rows] */
  logprob: tf.Tensor1D;
  /** Log-probabilities under the policy that drew the tokens. [rows] */
  oldLogprob: tf.Tensor1D;
  /** The advantage of the response that the token belongs to. [rows] */
  advantage: tf.Tensor1D;
}

/**
 * The clipped policy objective with a ratio per token and the mean over all tokens, as a loss:
 * `-1/N sum_t min(r_t A_t, clip(r_t, 1 - eps, 1 + eps) A_t)` with `r_t = pi(o_t) / pi_old(o_t)` (Schulman et al. 2017,
 * eq. 7; GRPO's outer form, arXiv 2402.03300, eq. 3 without the KL term).
 *
 * @param tokens N: the tokens of the whole minibatch, masked ones included, so that numerator and denominator speak of
 *   the same rows
 */
export function clippedLoss(rows: TokenRows, clipRatio: number, tokens: number): tf.Scalar {
  return tf.tidy(() => {
    const ratio = rows.logprob.sub(rows.oldLogprob).exp();
    const plain = ratio.mul(rows.advantage);
    const clipped = ratio.clipByValue(1 - clipRatio, 1 + clipRatio).mul(rows.advantage);
    return tf.minimum(plain, clipped).sum().div(-tokens) as tf.Scalar;
  });
}

/**
 * The share of tokens at which the clip binds: the ratio has left the interval on the side that the advantage favours,
 * so that the token's gradient is zero.
 */
export function clipFraction(
  logprob: ArrayLike<number>,
  oldLogprob: ArrayLike<number>,
  advantage: ArrayLike<number>,
  clipRatio: number,
): number {
  let clipped = 0;
  for (let t = 0; t < logprob.length; t++) {
    const ratio = Math.exp(logprob[t] - oldLogprob[t]);
    if ((advantage[t] > 0 && ratio > 1 + clipRatio) || (advantage[t] < 0 && ratio < 1 - clipRatio)) clipped++;
  }
  return logprob.length === 0 ? 0 : clipped / logprob.length;
}
