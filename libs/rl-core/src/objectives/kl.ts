import { tf } from '@capo/model';

/** The estimators of KL(pi || pi_ref) from a token drawn from pi (Schulman 2020, "Approximating KL divergence"). */
export type KlEstimator = 'k1' | 'k2' | 'k3';

/** A KL term of a loss. */
export interface KlOptions {
  estimator: KlEstimator;
  /** Its weight in the loss. */
  coefficient: number;
  form: 'plain' | 'importance-weighted';
}

/**
 * The estimate of KL(pi || pi_ref) at each token, in nats, with `d = log pi_ref(o_t) - log pi(o_t)`:
 *
 * | | formula | value, mean over tokens of pi | gradient of the plain form, mean over tokens of pi |
 * | --- | --- | --- | --- |
 * | k1 | `-d` | KL(pi, pi_ref), unbiased; single tokens may be negative | 0: useless as a loss |
 * | k2 | `d^2 / 2` | biased, close to the KL when pi is near pi_ref | that of KL(pi, pi_ref) |
 * | k3 | `e^d - d - 1` | KL(pi, pi_ref), unbiased, never negative | that of KL(pi_ref, pi), the other way round |
 *
 * The form `importance-weighted` multiplies by the ratio `pi(o_t) / pi_old(o_t)` and lets the gradient flow through it:
 * the mean gradient is then that of the mean value, hence of KL(pi, pi_ref) for k1 and k3, also when pi has moved
 * away from the policy that drew the tokens. GRPO's paper has the plain k3.
 *
 * @param logprob under the policy that is trained; gradients flow through it. [rows]
 * @param referenceLogprob under the reference model, at the same temperature. [rows]
 * @param ratio of each token, for the importance-weighted form. [rows]
 * @returns [rows]
 */
export function klTerms(
  logprob: tf.Tensor1D,
  referenceLogprob: tf.Tensor1D,
  ratio: tf.Tensor1D,
  { estimator, form }: Pick<KlOptions, 'estimator' | 'form'>,
): tf.Tensor1D {
  return tf.tidy(() => {
    const difference = referenceLogprob.sub(logprob);
    const estimate =
      estimator === 'k1'
        ? difference.neg()
        : estimator === 'k2'
          ? difference.square().div(2)
          : difference.exp().sub(difference).sub(1);
    return (form === 'importance-weighted' ? estimate.mul(ratio) : estimate) as tf.Tensor1D;
  });
}
