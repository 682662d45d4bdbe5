import { tf, useBackend } from '@capo/model';
import { beforeAll, describe, expect, it } from 'vitest';
import { clipFraction, clippedLoss, tokenRatio } from './clipped.js';

const clip = { clipLow: 0.2, clipHigh: 0.2 };

const rows = (ratios: number[], advantages: number[]) => ({
  ratio: tf.tensor1d(ratios),
  advantage: tf.tensor1d(advantages),
  weight: null,
});

describe('clippedLoss', () => {
  beforeAll(() => useBackend('wasm'));

  it('takes the smaller of the plain and the clipped term, by hand', () => {
    // A = 1: r 1.5 -> 1.2, r 0.5 -> 0.5. A = -1: r 1.5 -> -1.5, r 0.5 -> -0.8. Sum -0.6, mean -0.15, loss 0.15.
    const loss = tf.tidy(() => clippedLoss(rows([1.5, 0.5, 1.5, 0.5], [1, 1, -1, -1]), clip, 4).dataSync()[0]);
    expect(loss).toBeCloseTo(0.15, 6);
  });

  it('has the gradient -A r / N inside the interval and none where the clip binds', () => {
    const gradient = tf.tidy(() => {
      const logprob = tf.tensor1d([1, 1.1, 1.5, 0.5].map(Math.log));
      const oldLogprob = tf.zeros([4]) as tf.Tensor1D;
      const advantage = tf.tensor1d([2, -1, 1, -1]);
      const loss = (x: tf.Tensor1D) =>
        clippedLoss({ ratio: tokenRatio(x, oldLogprob), advantage, weight: null }, clip, 4);
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

describe('clippedLoss with options', () => {
  it('clips higher than lower, by hand', () => {
    // Range [0.8, 1.28]. A = 1: r 1.5 -> 1.28, r 1.25 -> 1.25. A = -1: r 0.5 -> -0.8. Sum 1.73, loss -1.73 / 3.
    const range = { clipLow: 0.2, clipHigh: 0.28 };
    const loss = tf.tidy(() => clippedLoss(rows([1.5, 1.25, 0.5], [1, 1, -1]), range, 3).dataSync()[0]);
    expect(loss).toBeCloseTo(-1.73 / 3, 6);
  });

  it('weighs rows, by hand', () => {
    // 1 * 1 * 1/2 + 1 * -2 * 1/4 + 1 * -2 * 1/4 = -1/2; over 2 responses: loss 1/4.
    const weight = tf.tensor1d([0.5, 0.25, 0.25]);
    const loss = tf.tidy(() => clippedLoss({ ...rows([1, 1, 1], [1, -2, -2]), weight }, clip, 2).dataSync()[0]);
    expect(loss).toBeCloseTo(0.25, 6);
  });
});

describe('clipFraction', () => {
  it('counts the tokens at which the clip binds', () => {
    expect(clipFraction([1.5, 0.5, 1.5, 0.5], [1, 1, -1, -1], clip)).toBe(0.5);
    // 1.25 is inside [0.8, 1.28].
    expect(clipFraction([1.25, 0.5], [1, -1], { clipLow: 0.2, clipHigh: 0.28 })).toBe(0.5);
    expect(clipFraction([], [], clip)).toBe(0);
  });
});
