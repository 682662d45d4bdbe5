import { tf, useBackend } from '@capo/model';
import { beforeAll, describe, expect, it } from 'vitest';
import { simkoRatio } from './simko-ratio.js';

describe('simkoRatio', () => {
  beforeAll(() => useBackend('wasm'));

  it('leaves the value and shares the gradient, by hand', () => {
    const [value, gradient] = tf.tidy(() => {
      // One row, three tokens with log-probabilities x; token 0 was drawn with old log-probability log(1/2) and ratio 2.
      const ratioOf = (x: tf.Tensor) => x.slice(0, 1).add(Math.LN2).exp() as tf.Tensor1D;
      const shared = (x: tf.Tensor) => {
        const top = [1, 2].map((k) => x.slice(k, 1) as tf.Tensor1D);
        return simkoRatio(ratioOf(x), top, [0.1]);
      };
      const x = tf.tensor1d([0, -1, -2]);
      return [
        shared(x).dataSync()[0],
        [
          ...tf
            .grad((y) => shared(y).sum())(x)
            .dataSync(),
        ],
      ];
    });
    expect(value).toBeCloseTo(2, 6);
    // 0.9 * 2 to the token that was drawn, 0.1 / 2 * 2 to each of the two most probable ones: together 2, as before.
    expect(gradient[0]).toBeCloseTo(1.8, 5);
    expect(gradient[1]).toBeCloseTo(0.1, 5);
    expect(gradient[2]).toBeCloseTo(0.1, 5);
  });

  it('changes nothing where nothing is shared', () => {
    const gradient = tf.tidy(() => {
      const loss = (x: tf.Tensor) => simkoRatio(x.exp() as tf.Tensor1D, [x as tf.Tensor1D], [0, 0]).sum();
      return [
        ...tf
          .grad(loss)(tf.tensor1d([0, Math.LN2]))
          .dataSync(),
      ];
    });
    expect(gradient[0]).toBeCloseTo(1, 6);
    expect(gradient[1]).toBeCloseTo(2, 6);
  });
});
