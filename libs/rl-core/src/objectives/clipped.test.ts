import { tf, useBackend } from '@capo/model';
import { beforeAll, describe, expect, it } from 'vitest';
import { clipFraction, clippedLoss } from './clipped.js';

const rows = (ratios: number[], advantages: number[]) => ({
  logprob: tf.tensor1d(ratios.map(Math.log)),
  oldLogprob: tf.zeros([ratios.length]) as tf.Tensor1D,
  advantage: tf.tensor1d(advantages),
});

describe('clippedLoss', () => {
  beforeAll(() => useBackend('wasm'));

  it('takes the smaller of the plain and the clipped term, by hand', () => {
    // A = 1: r 1.5 -> 1.2, r 0.5 -> 0.5. A = -1: r 1.5 -> -1.5, r 0.5 -> -0.8. Sum -0.6, mean -0.15, loss 0.15.
    const loss = tf.tidy(() => clippedLoss(rows([1.5, 0.5, 1.5, 0.5], [1, 1, -1, -1]), 0.2, 4).dataSync()[0]);
    expect(loss).toBeCloseTo(0.15, 6);
  });

  it('has the gradient -A r / N inside the interval and none where the clip binds', () => {
    const gradient = tf.tidy(() => {
      const { logprob, oldLogprob, advantage } = rows([1, 1.1, 1.5, 0.5], [2, -1, 1, -1]);
      const loss = (x: tf.Tensor1D) => clippedLoss({ logprob: x, oldLogprob, advantage }, 0.2, 4);
      return [
        ...tf
          .grad((x) => loss(x as tf.Tensor1D))(logprob)
          .dataSync(),
      ];
    });
    expect(gradient[0]).toBeCloseTo(-0.5, 6);
    expect(gradient[1]).toBeCloseTo(1.1 / 4, 6);
    expect(gradient[2]).toBeCloseTo(0, 6);
    expect(gradient[3]).toBeCloseTo(0, 6);
  });
});

describe('clipFraction', () => {
  it('counts the tokens at which the clip binds', () => {
    const logprob = [1.5, 0.5, 1.5, 0.5].map(Math.log);
    expect(clipFraction(logprob, [0, 0, 0, 0], [1, 1, -1, -1], 0.2)).toBe(0.5);
    expect(clipFraction([], [], [], 0.2)).toBe(0);
  });
});
