import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pairWeight, SURROGATES, surrogateValue, surrogateWeight } from './surrogate.js';

describe('pairWeight', () => {
  it('is the sigmoid of the negative difference', () => {
    expect(pairWeight(0, 0.6)).toBe(0.5);
    // 1 / (1 + e) and its complement.
    expect(pairWeight(1, 1)).toBeCloseTo(0.2689414, 7);
    expect(pairWeight(-1, 1)).toBeCloseTo(0.7310586, 7);
  });

  it('neither overflows nor becomes NaN', () => {
    expect(pairWeight(1e6, 0.1)).toBe(0);
    expect(pairWeight(-1e6, 0.1)).toBe(1);
  });
});

describe('surrogateWeight', () => {
  it('has the values of a hand computation at tau = 2, t = 1', () => {
    // u = t / tau = 1/2. Logistic: 1 / (1 + e^(1/2)) = 0.3775407. Linear: 1. Hinge: u < 1, so 1. Exponential: e^(-1/2).
    expect(surrogateWeight('logistic', 1, 2)).toBeCloseTo(0.3775407, 7);
    expect(surrogateWeight('linear', 1, 2)).toBe(1);
    expect(surrogateWeight('hinge', 1, 2)).toBe(1);
    expect(surrogateWeight('exponential', 1, 2)).toBeCloseTo(0.6065307, 7);
    // Beyond the margin the hinge has no slope.
    expect(surrogateWeight('hinge', 2, 2)).toBe(0);
  });

  it('stays finite for an exponential far in the wrong order', () => {
    expect(surrogateWeight('exponential', -1e6, 0.1)).toBe(Math.exp(30));
  });

  it.each(SURROGATES)('is minus tau times the slope of %s, and never negative', (surrogate) => {
    fc.assert(
      fc.property(
        fc.double({ min: -5, max: 5, noNaN: true }),
        fc.double({ min: 0.2, max: 2, noNaN: true }),
        (t, tau) => {
          fc.pre(surrogate !== 'hinge' || Math.abs(t - tau) > 1e-3); // The corner of the hinge has no slope.
          const step = 1e-6;
          const slope =
            (surrogateValue(surrogate, t + step, tau) - surrogateValue(surrogate, t - step, tau)) / (2 * step);
          const weight = surrogateWeight(surrogate, t, tau);
          expect(weight).toBeGreaterThanOrEqual(0);
          fc.pre(t / tau > -29); // Beyond, the exponential's weight is capped.
          expect(Math.abs(-tau * slope - weight)).toBeLessThan(1e-4 * Math.max(1, weight));
        },
      ),
    );
  });
});
