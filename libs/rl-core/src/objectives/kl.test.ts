import { tf, useBackend } from '@capo/model';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type KlOptions, klTerms } from './kl.js';

/** A toy vocabulary of four tokens. */
const POLICY = [0.5, 0.3, 0.15, 0.05];
const REFERENCE = [0.25, 0.25, 0.3, 0.2];

const kl = (p: number[], q: number[]) => p.reduce((sum, _, i) => sum + p[i] * Math.log(p[i] / q[i]), 0);

function estimates(options: Pick<KlOptions, 'estimator' | 'form'>, policy = POLICY, reference = REFERENCE): number[] {
  return tf.tidy(() => {
    const logprob = tf.tensor1d(policy.map(Math.log));
    const referenceLogprob = tf.tensor1d(reference.map(Math.log));
    return [...klTerms(logprob, referenceLogprob, tf.onesLike(logprob), options).dataSync()];
  });
}

/**
 * The exact mean gradient of the estimator over tokens of the policy that drew them, with respect to the logits of the
 * policy that is trained: all tokens of the vocabulary, each weighed by its probability.
 */
function meanGradient(options: Pick<KlOptions, 'estimator' | 'form'>, old: number[], policy: number[]): number[] {
  return tf.tidy(() => {
    const loss = (logits: tf.Tensor) => {
      const logprob = tf.logSoftmax(logits) as tf.Tensor1D;
      const ratio = logprob.sub(tf.tensor1d(old.map(Math.log))).exp() as tf.Tensor1D;
      const terms = klTerms(logprob, tf.tensor1d(REFERENCE.map(Math.log)), ratio, options);
      return terms.mul(tf.tensor1d(old)).sum();
    };
    return [
      ...tf
        .grad(loss)(tf.tensor1d(policy.map(Math.log)))
        .dataSync(),
    ];
  });
}

/** d/dlogit_k of KL(pi, ref) = pi_k (log(pi_k / ref_k) - KL): differentiate sum pi log(pi / ref) through the softmax. */
const reverseGradient = (p: number[]) => p.map((x, k) => x * (Math.log(x / REFERENCE[k]) - kl(p, REFERENCE)));
/** d/dlogit_k of KL(ref, pi) = pi_k - ref_k. */
const forwardGradient = (p: number[]) => p.map((x, k) => x - REFERENCE[k]);

const expectClose = (actual: number[], expected: number[]) => {
  actual.forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i], 5);
  });
};

describe('klTerms', () => {
  beforeAll(() => useBackend('wasm'));

  it('has k1 and k3 with the true KL as their mean over tokens of the policy', () => {
    for (const estimator of ['k1', 'k3'] as const) {
      const mean = estimates({ estimator, form: 'plain' }).reduce((sum, term, i) => sum + POLICY[i] * term, 0);
      expect(mean).toBeCloseTo(kl(POLICY, REFERENCE), 5);
    }
  });

  it('is never negative for k2 and k3, and 0 where the policies agree', () => {
    const distribution = fc
      .array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 })
      .map((weights) => weights.map((w) => w / weights.reduce((a, b) => a + b)));
    fc.assert(
      fc.property(distribution, distribution, (policy, reference) => {
        for (const estimator of ['k2', 'k3'] as const) {
          // float32: e^d - d - 1 of two nearly equal log-probabilities may round a hair below 0.
          for (const term of estimates({ estimator, form: 'plain' }, policy, reference)) {
            expect(term).toBeGreaterThanOrEqual(-1e-6);
          }
          expectClose(estimates({ estimator, form: 'plain' }, policy, policy), [0, 0, 0, 0]);
        }
      }),
    );
  });

  it('has the values of a hand computation', () => {
    // Token 0: d = log(0.25 / 0.5) = -0.693147. k1 = 0.693147; k2 = 0.240227; k3 = 0.5 + 0.693147 - 1 = 0.193147.
    expect(estimates({ estimator: 'k1', form: 'plain' })[0]).toBeCloseTo(Math.LN2, 5);
    expect(estimates({ estimator: 'k2', form: 'plain' })[0]).toBeCloseTo(0.240227, 5);
    expect(estimates({ estimator: 'k3', form: 'plain' })[0]).toBeCloseTo(0.193147, 5);
  });

  it('has in its plain form no gradient for k1, that of KL(pi, ref) for k2 and of KL(ref, pi) for k3', () => {
    expectClose(meanGradient({ estimator: 'k1', form: 'plain' }, POLICY, POLICY), [0, 0, 0, 0]);
    expectClose(meanGradient({ estimator: 'k2', form: 'plain' }, POLICY, POLICY), reverseGradient(POLICY));
    expectClose(meanGradient({ estimator: 'k3', form: 'plain' }, POLICY, POLICY), forwardGradient(POLICY));
  });

  it('has, weighed by the ratio, the gradient of KL(pi, ref) for k1 and k3, also off the sampling policy', () => {
    const old = [0.4, 0.3, 0.2, 0.1];
    for (const estimator of ['k1', 'k3'] as const) {
      expectClose(meanGradient({ estimator, form: 'importance-weighted' }, old, POLICY), reverseGradient(POLICY));
    }
  });
});
