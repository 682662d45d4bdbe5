import { tf } from '@capo/model';

/** One row per response token of a minibatch. */
export interface TokenRows {
  /** The ratio of the policy that is trained to the one that drew the tokens; gradients flow through it. [rows] */
  ratio: tf.Tensor1D;
  /** The advantage of the response that the token belongs to. [rows] */
  advantage: tf.Tensor1D;
  /** What each row counts in the sum; null when all count alike. [rows] */
  weight: tf.Tensor1D | null;
}

/** The interval that the ratio is clipped to: [1 - clipLow, 1 + clipHigh]. DAPO's clip-higher has clipHigh > clipLow. */
export interface ClipRange {
  clipLow: number;
  clipHigh: number;
}

/** The ratio of each token: `r_t = pi(o_t) / pi_old(o_t)`, from log-probabilities. */
export function tokenRatio(logprob: tf.Tensor1D, oldLogprob: tf.Tensor1D): tf.Tensor1D {
  return tf.tidy(() => logprob.sub(oldLogprob).exp() as tf.Tensor1D);
}

/**
 * The clipped policy objective as a loss: `-1/N sum_t w_t min(r_t A_t, clip(r_t, 1 - low, 1 + high) A_t)` (Schulman et
 * al. 2017, eq. 7; GRPO's outer form, arXiv 2402.03300, eq. 3 without the KL term).
 *
 * @param divisor N; see `aggregationOf`. It counts masked responses of the minibatch too, so that numerator and
 *   denominator speak of the same rows
 */
export function clippedLoss({ ratio, advantage, weight }: TokenRows, clip: ClipRange, divisor: number): tf.Scalar {
  return tf.tidy(() => {
    const plain = ratio.mul(advantage);
    const clipped = ratio.clipByValue(1 - clip.clipLow, 1 + clip.clipHigh).mul(advantage);
    const terms = tf.minimum(plain, clipped);
    return (weight ? terms.mul(weight) : terms).sum().div(-divisor) as tf.Scalar;
  });
}

/**
 * The share of tokens at which the clip binds: the ratio has left the interval on the side that the advantage favours,
 * so that the token's gradient is zero.
 *
 * @param ratio per token: its own, or its response's
 */
export function clipFraction(
  ratio: ArrayLike<number>,
  advantage: ArrayLike<number>,
  { clipLow, clipHigh }: ClipRange,
): number {
  let clipped = 0;
  for (let t = 0; t < ratio.length; t++) {
    if ((advantage[t] > 0 && ratio[t] > 1 + clipHigh) || (advantage[t] < 0 && ratio[t] < 1 - clipLow)) clipped++;
  }
  return ratio.length === 0 ? 0 : clipped / ratio.length;
}
