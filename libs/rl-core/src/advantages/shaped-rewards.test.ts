import { describe, expect, it } from 'vitest';
import { cdeRewards, staircaseWeight } from './cde.js';
import { codapoWeight, focusedPrompts } from './codapo.js';
import { overlongPenalty } from './overlong-penalty.js';

describe('overlongPenalty', () => {
  it('falls in a line over the buffer', () => {
    expect([...overlongPenalty([0, 80, 90, 95, 100, 120], 100, 20)]).toEqual([0, 0, -0.5, -0.75, -1, -1]);
  });

  it('without a buffer punishes only what reached the limit', () => {
    expect([...overlongPenalty([99, 100], 100, 0)]).toEqual([0, -1]);
  });

  it('refuses a buffer beyond the limit', () => {
    expect(() => overlongPenalty([1], 10, 11)).toThrow('the buffer is 11 tokens');
  });
});

describe('codapoWeight', () => {
  it('is confidence times closeness to half, by hand', () => {
    // Half right, lpm log(1/2) and log(1/8): c = exp(mean) = sqrt(1/16) = 1/4; 1 - 4 * 0 = 1; w = 0.35.
    expect(codapoWeight([1, 0], [Math.log(1 / 2), Math.log(1 / 8)])).toBeCloseTo(0.35, 12);
    // A quarter right: d = 3/4, 1 - 4/16 = 3/4; certain (lpm 0): w = 0.85.
    expect(codapoWeight([1, 0, 0, 0], [0, 0, 0, 0])).toBeCloseTo(0.85, 12);
  });

  it('is the floor where every response is right or wrong, and for nothing', () => {
    expect(codapoWeight([1, 1], [0, 0])).toBeCloseTo(0.1, 12);
    expect(codapoWeight([0, 0], [-1, -1])).toBeCloseTo(0.1, 12);
    expect(codapoWeight([Number.NaN], [0])).toBe(0.1);
  });

  it('leaves out invalid rewards and responses without tokens', () => {
    expect(codapoWeight([1, 0, Number.NaN, 0], [0, 0, -9, Number.NaN])).toBeCloseTo(1.1, 12);
  });
});

describe('focusedPrompts', () => {
  it('takes the top share by weight, ties in order, at least one', () => {
    expect(focusedPrompts([0.1, 0.9, 0.5, 0.9], 0.5)).toEqual([1, 3]);
    expect(focusedPrompts([0.1, 0.9], 0.25)).toEqual([1]);
    expect(focusedPrompts([], 0.25)).toEqual([]);
  });
});

describe('cdeRewards', () => {
  it('caps the bonus at |R| / kappa, by hand', () => {
    // Right, B = 0.2 and 2: bonus 0.2 and the cap 1/3. Wrong with R = 0: cap 0. Half the weight.
    const shaped = cdeRewards([1, 1, 0], [-0.2, -2, -2], { kappa: 3, alpha: 1, weight: 0.5 });
    expect(shaped[0]).toBeCloseTo(1.1, 12);
    expect(shaped[1]).toBeCloseTo(1 + 1 / 6, 12);
    expect(shaped[2]).toBe(0);
  });

  it('acts on both when wrong is -1', () => {
    const shaped = cdeRewards([1, -1], [-2, -2], { kappa: 3, alpha: 1, weight: 1 });
    expect(shaped[0]).toBeCloseTo(4 / 3, 12);
    expect(shaped[1]).toBeCloseTo(-2 / 3, 12);
  });

  it('keeps an invalid reward invalid and gives no bonus without tokens', () => {
    const shaped = cdeRewards([Number.NaN, 1], [-1, Number.NaN], { kappa: 3, alpha: 1, weight: 1 });
    expect([...shaped]).toEqual([Number.NaN, 1]);
  });
});

describe('staircaseWeight', () => {
  it('is the weight of the last stair that has begun', () => {
    const stairs = [
      { from: 0, weight: 1 },
      { from: 0.5, weight: 0.25 },
    ];
    expect([0, 0.49, 0.5, 1].map((progress) => staircaseWeight(stairs, progress))).toEqual([1, 1, 0.25, 0.25]);
    expect(staircaseWeight([{ from: 0.5, weight: 1 }], 0.4)).toBe(0);
  });
});
