import { describe, expect, it } from 'vitest';
import { aggregationOf } from './aggregation.js';

/** The loss of responses whose tokens all have the same term. */
function total(aggregation: Parameters<typeof aggregationOf>[0], terms: number[], lengths: number[]) {
  const { divisor, weightOfResponse } = aggregationOf(aggregation, lengths, 8);
  return terms.reduce((sum, term, i) => sum + term * lengths[i] * (weightOfResponse?.[i] ?? 1), 0) / divisor;
}

describe('aggregationOf', () => {
  // A right response of 2 tokens (+1 each) and a wrong one of 6 tokens (-1 each), as in docs/methods/dr-grpo.md.
  const terms = [1, -1];
  const lengths = [2, 6];

  it('is the mean over tokens', () => {
    expect(total('token-mean', terms, lengths)).toBeCloseTo((2 - 6) / 8, 12);
  });

  it('is the mean over tokens, then responses: the length cancels', () => {
    expect(total('sequence-mean', terms, lengths)).toBeCloseTo(0, 12);
  });

  it('divides by responses times a constant', () => {
    expect(total('constant-length', terms, lengths)).toBeCloseTo((2 - 6) / 16, 12);
  });

  it('counts a response without tokens as a response, and has the divisor 0 of nothing', () => {
    expect(aggregationOf('sequence-mean', [2, 0], 8)).toEqual({
      divisor: 2,
      weightOfResponse: Float64Array.of(0.5, 0),
    });
    expect(aggregationOf('token-mean', [], 8).divisor).toBe(0);
  });
});
