import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forkingTokens, topTokens } from './simko.js';

describe('forkingTokens', () => {
  it('takes those above the quantile of their own response', () => {
    // Sorted 0.1, 0.2, 0.3, 0.4, 2: the 0.8 quantile (type 7) is at position 3.2: 0.4 + 0.2 * 1.6 = 0.72.
    expect([...forkingTokens([0.1, 2, 0.3, 0.2, 0.4], 0.8)]).toEqual([0, 1, 0, 0, 0]);
  });

  it('has none where all entropies are equal, and none of nothing', () => {
    expect([...forkingTokens([1, 1, 1], 0.8)]).toEqual([0, 0, 0]);
    expect([...forkingTokens([], 0.8)]).toEqual([]);
  });
});

describe('topTokens', () => {
  it('gives the most probable first, ties by id', () => {
    expect([...topTokens([0, 3, 1, 3, 2, 9, 8, 7, 6, 5], 2, 5, 3)]).toEqual([1, 3, 4, 0, 1, 2]);
  });

  it('is a stable sort by falling logit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 1, max: 9 }),
        (logits, count) => {
          fc.pre(count <= logits.length);
          const order = logits.map((_, token) => token).sort((a, b) => logits[b] - logits[a] || a - b);
          expect([...topTokens(logits, 1, logits.length, count)]).toEqual(order.slice(0, count));
        },
      ),
    );
  });

  it('refuses more tokens than the vocabulary has', () => {
    expect(() => topTokens([1, 2], 1, 2, 3)).toThrow('3 top tokens of a vocabulary of 2');
  });
});
