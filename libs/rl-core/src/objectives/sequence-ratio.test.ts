import { tf, useBackend } from '@capo/model';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { sequenceRatio } from './sequence-ratio.js';

const layoutOf = (lengths: number[]) => ({
  sequences: Int32Array.from(lengths.flatMap((length, i) => Array.from({ length }, () => i))),
  lengths: Int32Array.from(lengths),
});

/** The ratios of responses given by the log ratios of their tokens. */
function ratios(responses: number[][]): number[][] {
  const layout = layoutOf(responses.map(({ length }) => length));
  const flat = tf.tidy(() => {
    const logprob = tf.tensor1d(responses.flat());
    return sequenceRatio(logprob, tf.zerosLike(logprob), layout).dataSync().slice();
  });
  let next = 0;
  return responses.map((response) => response.map(() => flat[next++]));
}

const response = fc.array(fc.float({ min: -2, max: 2, noNaN: true }), { minLength: 1, maxLength: 6 });

describe('sequenceRatio', () => {
  beforeAll(() => useBackend('wasm'));

  it('is the geometric mean of the token ratios, by hand', () => {
    // Token ratios 2 and 8: sqrt(16) = 4. A single token ratio 3: 3.
    const [first, second] = ratios([[Math.log(2), Math.log(8)], [Math.log(3)]]);
    for (const ratio of first) expect(ratio).toBeCloseTo(4, 5);
    expect(second[0]).toBeCloseTo(3, 5);
  });

  it('does not change when responses or tokens change their order, or other responses join', () => {
    fc.assert(
      fc.property(fc.array(response, { minLength: 1, maxLength: 5 }), response, (responses, other) => {
        const own = ratios(responses);
        const turned = ratios([other, ...responses.map((tokens) => [...tokens].reverse()).reverse()]);
        responses.forEach((_, i) => {
          expect(turned[responses.length - i][0]).toBeCloseTo(own[i][0], 5);
        });
      }),
    );
  });

  it('gives each token the gradient s / |o| of its response', () => {
    const layout = layoutOf([2, 1]);
    const gradient = tf.tidy(() => [
      ...tf
        .grad((x) =>
          sequenceRatio(x as tf.Tensor1D, tf.zeros([3]) as tf.Tensor1D, layout)
            .mul([1, 0, 5])
            .sum(),
        )(tf.tensor1d([Math.log(2), Math.log(8), Math.log(3)]))
        .dataSync(),
    ]);
    // Row 0 counts once: ds/dx = 4 / 2 at both tokens of the first response. Row 2 counts 5 times: 5 * 3 / 1.
    expect(gradient[0]).toBeCloseTo(2, 5);
    expect(gradient[1]).toBeCloseTo(2, 5);
    expect(gradient[2]).toBeCloseTo(15, 4);
  });
});
