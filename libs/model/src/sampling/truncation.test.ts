import { stream } from '@capo/samples';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawToken } from './token-distribution.js';
import { checkTruncation, type Truncation, truncate, truncates } from './truncation.js';

const kept = (weights: number[], truncation: Truncation) => {
  const array = Float64Array.from(weights);
  const sum = truncate(array, array.length, truncation);
  expect(sum).toBeCloseTo(
    array.reduce((total, value) => total + value, 0),
    12,
  );
  return [...array.keys()].filter((i) => array[i] > 0);
};

describe('truncate', () => {
  const weights = [0.1, 0.4, 0.2, 0.3];

  it('keeps the k most probable, and equals of the last of them', () => {
    expect(kept(weights, { topK: 2 })).toEqual([1, 3]);
    expect(kept([0.3, 0.3, 0.3, 0.1], { topK: 1 })).toEqual([0, 1, 2]);
    expect(kept(weights, { topK: 9 })).toEqual([0, 1, 2, 3]);
  });

  it('keeps the nucleus up to and including the token that reaches p', () => {
    expect(kept(weights, { topP: 0.4 })).toEqual([1]);
    expect(kept(weights, { topP: 0.41 })).toEqual([1, 3]);
    expect(kept(weights, { topP: 0.95 })).toEqual([0, 1, 2, 3]);
    expect(kept([0.25, 0.25, 0.25, 0.25], { topP: 0.5 })).toEqual([0, 1]);
    expect(kept(weights, { topP: 1e-9 })).toEqual([1]);
  });

  it('keeps what is probable enough relative to the most probable', () => {
    expect(kept(weights, { minP: 0.5 })).toEqual([1, 2, 3]);
    expect(kept(weights, { minP: 1 })).toEqual([1]);
  });

  it('takes top-k first and top-p of what it left, renormalised', () => {
    // Of 0.4 and 0.3 the first has 0.571 of the mass.
    expect(kept(weights, { topK: 2, topP: 0.55 })).toEqual([1]);
    expect(kept(weights, { topP: 0.55 })).toEqual([1, 3]);
  });

  it('is off without values, and at those that cut nothing off', () => {
    expect([{}, { topP: 1 }, { minP: 0 }].map(truncates)).toEqual([false, false, false]);
    expect([{ topK: 5 }, { topP: 0.9 }, { minP: 0.1 }].map(truncates)).toEqual([true, true, true]);
  });

  it.each([{ topK: 0 }, { topK: 1.5 }, { topP: 0 }, { topP: 1.1 }, { minP: -1 }, { minP: 2 }])(
    'refuses %j',
    (truncation) => {
      expect(() => checkTruncation(truncation)).toThrow('must be');
    },
  );

  it('agrees with sorting everything', () => {
    const weightsOf = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(
        weightsOf,
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.integer({ min: 1, max: 40 }),
        (values, p, k) => {
          const order = [...values.keys()].sort((a, b) => values[b] - values[a] || a - b);
          const total = values.reduce((sum, value) => sum + value, 0);
          const nucleus: number[] = [];
          for (let mass = 0; mass < p * total; mass += values[order[nucleus.length - 1]])
            nucleus.push(order[nucleus.length]);
          expect(kept(values, { topP: p })).toEqual(nucleus.sort((a, b) => a - b));
          const least = values[order[Math.min(k, values.length) - 1]];
          expect(kept(values, { topK: k })).toEqual([...values.keys()].filter((i) => values[i] >= least));
        },
      ),
      { seed: 1 },
    );
  });
});

it('draws each kept token as often as it should: chi-square of 20,000 draws, 5 tokens', () => {
  const logits = [1, 0.5, 0, -0.5, -1, -3].map((logit) => logit);
  const options = { temperature: 0.8, truncation: { topK: 5 } };
  const random = stream(4, 'draws');
  const counts = new Float64Array(6);
  const scratch = new Float64Array(6);
  for (let i = 0; i < 20_000; i++) counts[drawToken(logits, 0, 6, options, random.uniform(), scratch).token]++;
  const weights = logits.slice(0, 5).map((logit) => Math.exp(logit / 0.8));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const chi = weights.reduce(
    (sum, weight, i) => sum + (counts[i] - (20_000 * weight) / total) ** 2 / ((20_000 * weight) / total),
    0,
  );
  expect(counts[5]).toBe(0);
  // The 99.9 % quantile of chi-square with 4 degrees of freedom.
  expect(chi).toBeLessThan(18.47);
});
