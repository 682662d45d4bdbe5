import { describe, expect, it } from 'vitest';
import { noiseMask } from './noise-mask.js';

describe('noiseMask', () => {
  const thresholds = { low: 1.05, high: 2.5 };

  it('drops lucky guesses and nearly right answers, and nothing else', () => {
    const rewards = [1, 1, 0, 0, 1, 0];
    const perplexity = [3, 2, 1.01, 1.2, 1.01, 3];
    expect([...noiseMask(rewards, perplexity, thresholds)]).toEqual([0, 1, 0, 1, 1, 1]);
  });

  it('keeps values at the thresholds, invalid rewards and responses without tokens', () => {
    expect([...noiseMask([1, 0, Number.NaN, 1], [2.5, 1.05, 9, Number.NaN], thresholds)]).toEqual([1, 1, 1, 1]);
  });

  it('refuses lengths that differ', () => {
    expect(() => noiseMask([1], [], thresholds)).toThrow('1 rewards but 0 perplexities');
  });
});
