import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grpoAdvantages } from './grpo.js';

describe('grpoAdvantages', () => {
  it('is the centred reward over the deviation', () => {
    // Rewards 1, 0, 0, 1: mean 1/2; squares sum to 1; std = sqrt(1/3) = 0.57735; 0.5 / (0.57735 + 1e-6) = 0.866024.
    const advantages = grpoAdvantages([1, 0, 0, 1], { scale: 'group-std' });
    expect([...advantages].map((a) => a.toFixed(6))).toEqual(['0.866024', '-0.866024', '-0.866024', '0.866024']);
  });

  it('without scaling is the centred reward', () => {
    // Rewards 1, 0, 0: mean 1/3.
    const advantages = grpoAdvantages([1, 0, 0], { scale: 'none' });
    expect(advantages[0]).toBeCloseTo(2 / 3, 12);
    expect(advantages[1]).toBeCloseTo(-1 / 3, 12);
  });

  it('gives no signal for equal rewards, one response, or none', () => {
    expect([...grpoAdvantages([1, 1, 1], { scale: 'group-std' })]).toEqual([0, 0, 0]);
    expect([...grpoAdvantages([0, 0], { scale: 'none' })]).toEqual([0, 0]);
    expect([...grpoAdvantages([1], { scale: 'group-std' })]).toEqual([0]);
    expect([...grpoAdvantages([], { scale: 'group-std' })]).toEqual([]);
  });

  it('leaves an invalid reward out of the group', () => {
    const advantages = grpoAdvantages([1, Number.NaN, 0], { scale: 'group-std' });
    const without = grpoAdvantages([1, 0], { scale: 'group-std' });
    expect([...advantages]).toEqual([without[0], 0, without[1]]);
    expect([...grpoAdvantages([1, Number.NaN], { scale: 'group-std' })]).toEqual([0, 0]);
  });

  it('sums to zero and does not change when a constant is added to all rewards', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 16 }), (rewards) => {
        const advantages = grpoAdvantages(rewards, { scale: 'group-std' });
        expect(advantages.reduce((sum, a) => sum + a, 0)).toBeCloseTo(0, 9);
        const shifted = grpoAdvantages(
          rewards.map((reward) => reward + 5),
          { scale: 'group-std' },
        );
        advantages.forEach((a, i) => {
          expect(shifted[i]).toBeCloseTo(a, 9);
        });
      }),
    );
  });
});
