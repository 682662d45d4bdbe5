import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CapoAdvantageOptions, capoAdvantages } from './capo.js';

const plain: CapoAdvantageOptions = { tau: 1, pairScale: 'none', tauFactor: true };

const groupArbitrary = fc.array(
  fc.record({ reward: fc.integer({ min: 0, max: 1 }), lpm: fc.double({ min: -20, max: 0, noNaN: true }) }),
  { minLength: 1, maxLength: 12 },
);

describe('capoAdvantages', () => {
  it('sums the weights of the pairs, by hand', () => {
    // Right: lpm -1. Wrong: lpm -1 (tie: weight 1/2) and lpm 0 (misranked by 1: 1 / (1 + e^-1) = 0.7310586).
    const advantages = capoAdvantages([1, 0, 0], [-1, -1, 0], plain);
    expect(advantages[0]).toBeCloseTo(1.2310586, 7);
    expect(advantages[1]).toBeCloseTo(-0.5, 12);
    expect(advantages[2]).toBeCloseTo(-0.7310586, 7);
  });

  it('scales by tau, by the group and by the number of opposite responses', () => {
    const rewards = [1, 0, 0];
    const lpm = [-1, -1, -1];
    // Ties: every pair weighs 1/2, times 1 / tau = 2 where the factor is kept.
    expect([...capoAdvantages(rewards, lpm, { ...plain, tau: 0.5 })]).toEqual([2, -1, -1]);
    expect([...capoAdvantages(rewards, lpm, { ...plain, tau: 0.5, tauFactor: false })]).toEqual([1, -0.5, -0.5]);
    const byGroup = capoAdvantages(rewards, lpm, { ...plain, pairScale: 'group-size' });
    expect(byGroup[0]).toBeCloseTo(1 / 3, 12);
    expect(byGroup[1]).toBeCloseTo(-1 / 6, 12);
    expect([...capoAdvantages(rewards, lpm, { ...plain, pairScale: 'opposite-count' })]).toEqual([0.5, -0.5, -0.5]);
  });

  it('gives no signal without a pair', () => {
    expect([...capoAdvantages([1, 1], [-1, -2], plain)]).toEqual([0, 0]);
    expect([...capoAdvantages([0, 0], [-1, -2], { ...plain, pairScale: 'opposite-count' })]).toEqual([0, 0]);
    expect([...capoAdvantages([], [], plain)]).toEqual([]);
  });

  it('leaves out invalid rewards and responses without tokens', () => {
    const advantages = capoAdvantages([1, Number.NaN, 0, 0], [-1, -1, Number.NaN, -1], plain);
    expect([...advantages]).toEqual([0.5, 0, 0, -0.5]);
  });

  it('refuses lengths that differ and a tau that is not positive', () => {
    expect(() => capoAdvantages([1, 0], [-1], plain)).toThrow('2 rewards but 1');
    expect(() => capoAdvantages([1, 0], [-1, -1], { ...plain, tau: 0 })).toThrow('tau is 0');
  });

  it('sums to zero, has the sign of the verdict, and depends on differences of lpm only', () => {
    fc.assert(
      fc.property(groupArbitrary, (group) => {
        const rewards = group.map(({ reward }) => reward);
        const lpm = group.map((item) => item.lpm);
        const advantages = capoAdvantages(rewards, lpm, { tau: 0.6, pairScale: 'group-size', tauFactor: true });
        expect(advantages.reduce((sum, a) => sum + a, 0)).toBeCloseTo(0, 9);
        const shifted = capoAdvantages(
          rewards,
          lpm.map((value) => value - 3),
          { tau: 0.6, pairScale: 'group-size', tauFactor: true },
        );
        advantages.forEach((a, i) => {
          expect(rewards[i] === 1 ? a >= 0 : a <= 0).toBe(true);
          expect(shifted[i]).toBeCloseTo(a, 9);
        });
      }),
    );
  });

  it('is the negative gradient of the surrogate summed over the pairs', () => {
    fc.assert(
      fc.property(groupArbitrary, (group) => {
        const tau = 0.6;
        const rewards = group.map(({ reward }) => reward);
        const lpm = group.map((item) => item.lpm);
        const surrogate = (values: number[]) => {
          let sum = 0;
          rewards.forEach((right, i) => {
            if (right !== 1) return;
            rewards.forEach((other, j) => {
              if (other === 0) sum += Math.log1p(Math.exp(-(values[i] - values[j]) / tau));
            });
          });
          return sum;
        };
        const advantages = capoAdvantages(rewards, lpm, { tau, pairScale: 'none', tauFactor: true });
        const step = 1e-5;
        advantages.forEach((a, k) => {
          const shifted = (delta: number) => surrogate(lpm.map((value, i) => (i === k ? value + delta : value)));
          expect(-(shifted(step) - shifted(-step)) / (2 * step)).toBeCloseTo(a, 4);
        });
      }),
      { numRuns: 50 },
    );
  });
});
