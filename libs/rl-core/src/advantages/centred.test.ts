import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drGrpoAdvantages } from './dr-grpo.js';
import { grpoAdvantages } from './grpo.js';
import { rlooAdvantages } from './rloo.js';
import { batchDeviationScale, groupDeviationScale } from './scale.js';

const rewardsArbitrary = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 2, maxLength: 12 });

describe('drGrpoAdvantages', () => {
  it('is the centred reward', () => {
    // Mean of (1, 0, 0, 0) is 1/4.
    expect([...drGrpoAdvantages([1, 0, 0, 0])]).toEqual([0.75, -0.25, -0.25, -0.25]);
  });
});

describe('grpoAdvantages with the population deviation', () => {
  it('divides the squares by n', () => {
    // (1, 0, 0, 1): squares sum to 1, std = sqrt(1/4) = 0.5; 0.5 / (0.5 + 1e-6) = 0.999998.
    const advantages = grpoAdvantages([1, 0, 0, 1], { scale: 'group-std', deviation: 'population' });
    expect(advantages[0]).toBeCloseTo(0.999998, 7);
  });
});

describe('rlooAdvantages', () => {
  it('subtracts the mean of the others, by hand', () => {
    // (1, 0, 0, 0): the right one has baseline 0; a wrong one has (1 + 0 + 0) / 3.
    expect([...rlooAdvantages([1, 0, 0, 0])]).toEqual([1, -1 / 3, -1 / 3, -1 / 3]);
  });

  it('drops invalid rewards, and gives 0 to a group of one', () => {
    expect([...rlooAdvantages([1, Number.NaN, 0])]).toEqual([1, 0, -1]);
    expect([...rlooAdvantages([1, Number.NaN])]).toEqual([0, 0]);
    expect([...rlooAdvantages([])]).toEqual([]);
  });

  it('is G / (G - 1) times the centred reward', () => {
    fc.assert(
      fc.property(rewardsArbitrary, (rewards) => {
        const factor = rewards.length / (rewards.length - 1);
        const centred = drGrpoAdvantages(rewards);
        rlooAdvantages(rewards).forEach((a, i) => {
          expect(a).toBeCloseTo(factor * centred[i], 9);
        });
      }),
    );
  });
});

describe('batchDeviationScale', () => {
  it('is one over the deviation of all rewards, by hand', () => {
    // (1, 0, 1, 1): mean 3/4, squares 3/16 + 9/16 = 3/4, over 3: std = 1/2.
    expect(batchDeviationScale([1, 0, Number.NaN, 1, 1])).toBeCloseTo(1 / 0.500001, 9);
    expect(batchDeviationScale([1, 1])).toBe(1);
    expect(batchDeviationScale([])).toBe(1);
  });
});

describe('groupDeviationScale', () => {
  it('gives unit deviation around zero, by hand', () => {
    // (3, -4), and one response without an advantage: squares 25, n - 1 = 1: 1/5.
    expect(groupDeviationScale([3, 0, -4])).toBeCloseTo(0.2, 12);
    expect(groupDeviationScale([0, 0])).toBe(1);
  });
});
