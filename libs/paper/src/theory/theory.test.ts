import { useBackend } from '@capo/model';
import { stream } from '@capo/samples';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { gradientForms } from './gradient-forms.js';
import { inconsistency, linearMinimiser, meanDifferenceDirection, scaleRows } from './inconsistency.js';
import { aucOf, bestAuc, type LabelledDistribution, pairRisk, randomDistribution } from './pair-distribution.js';
import {
  leastLogisticRisk,
  linearBound,
  nearHalfRegrets,
  regretBounds,
  regretsOf,
  squareRootBound,
} from './regret-bound.js';
import { conditionsOfSurrogates, surrogateConditions } from './surrogate-conditions.js';
import { cosine, lpmDirections } from './update-directions.js';

const verdicts = (part: { claims: { id: string; holds: boolean | null }[] }) =>
  Object.fromEntries(part.claims.map(({ id, holds }) => [id, holds]));

const logistic = (t: number) => Math.log1p(Math.exp(-t));

describe('pair distributions', () => {
  /** Right with 3/4 and 1/4: P(x | right) = (3/4, 1/4), P(x | wrong) = (1/4, 3/4). */
  const two: LabelledDistribution = { weight: Float64Array.of(0.5, 0.5), eta: Float64Array.of(0.75, 0.25) };

  it('has the AUC of a hand computation', () => {
    // In order 3/4 * 3/4 = 9/16, tied (3/4 * 1/4) * 2 = 6/16: AUC 12/16; the other way round 1/16 + 3/16 = 4/16.
    expect(aucOf(two, [1, 0])).toBeCloseTo(0.75, 12);
    expect(aucOf(two, [0, 1])).toBeCloseTo(0.25, 12);
    expect(aucOf(two, [0, 0])).toBeCloseTo(0.5, 12);
    expect(bestAuc(two)).toBeCloseTo(0.75, 12);
  });

  it('has no scores with a better AUC than those by P(right | x)', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 6 }), (seed, scores) => {
        const drawn = randomDistribution(6, 'stochastic', stream(seed, 'test'));
        expect(aucOf(drawn, scores)).toBeLessThanOrEqual(bestAuc(drawn) + 1e-12);
      }),
    );
  });
});

describe('claim 1', () => {
  beforeAll(() => useBackend('wasm'));

  it('holds on random groups', () => {
    expect(verdicts(gradientForms(20, 5))).toEqual({ '1a': true, '1b': true, '1c': true });
  });
});

describe('claim 2', () => {
  it('has the scale counterexample of a hand computation', () => {
    // Means -0.4 and -0.7: linear -0.3 a. Differences 0.3, 0.7, -0.1, 0.3: three of four in order.
    const rows = scaleRows([1, 10]);
    expect(rows[0].auc).toBeCloseTo(0.75, 12);
    expect(rows[0].linear).toBeCloseTo(-0.3, 12);
    expect(rows[1].linear).toBeCloseTo(-3, 12);
    const expected = [0.3, 0.7, -0.1, 0.3].reduce((sum, t) => sum + logistic(t) / 4, 0);
    expect(rows[0].logistic).toBeCloseTo(expected, 12);
  });

  it('has a minimiser that ties what it should order, by hand', () => {
    // P(right | x) 0.9, 0.6, 0.1 with equal weights: right (.5625, .375, .0625), wrong (.0714, .2857, .6429).
    const three: LabelledDistribution = {
      weight: Float64Array.of(1 / 3, 1 / 3, 1 / 3),
      eta: Float64Array.of(0.9, 0.6, 0.1),
    };
    expect([...linearMinimiser(three)]).toEqual([1, 1, 0]);
    // The first two are tied: 0.5 (0.9375 * 0.357143) + 0.9375 * 0.642857 + 0.5 (0.0625 * 0.642857) = 0.790179.
    expect(aucOf(three, linearMinimiser(three))).toBeCloseTo(0.790179, 6);
    expect(bestAuc(three)).toBeGreaterThan(0.83);
  });

  it('has no scores in [0, 1] of less linear risk than the minimiser', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 5 }), (seed, scores) => {
        const drawn = randomDistribution(5, 'stochastic', stream(seed, 'minimiser'));
        const risk = (f: ArrayLike<number>) => pairRisk(drawn, f, (t) => -t);
        expect(risk(linearMinimiser(drawn))).toBeLessThanOrEqual(risk(scores) + 1e-12);
      }),
    );
  });

  it('points from the mean of the wrong to the mean of the right, by hand', () => {
    // Right mean (0.2 * 10 - 0.8, 0.1) = (1.2, 0.1), wrong (0, 0); norm sqrt(1.45).
    const features = [
      [10, 0.1],
      [-1, 0.1],
      [0, 0],
    ];
    const drawn = { weight: Float64Array.of(0.1, 0.4, 0.5), eta: Float64Array.of(1, 1, 0) };
    const [x, y] = meanDifferenceDirection(features, drawn);
    expect(x).toBeCloseTo(1.2 / Math.sqrt(1.45), 9);
    expect(y).toBeCloseTo(0.1 / Math.sqrt(1.45), 9);
  });

  it('holds', () => {
    expect(verdicts(inconsistency(200, 5))).toEqual({ '2a': true, '2b': true, '2c': true });
  });
});

describe('claim 3', () => {
  it('tells the surrogates apart by the conditions that they fail', () => {
    expect(surrogateConditions('logistic')).toEqual({
      convex: true,
      differentiable: true,
      nonIncreasing: true,
      fallsAtZero: true,
      boundedBelow: true,
    });
    expect(surrogateConditions('linear').boundedBelow).toBe(false);
    expect(surrogateConditions('hinge').differentiable).toBe(false);
    expect(surrogateConditions('exponential')).toEqual(surrogateConditions('logistic'));
    expect(verdicts(conditionsOfSurrogates())).toEqual({ '3a': true, '3b': true });
  });
});

describe('claim 4', () => {
  it('has the least logistic risk of a hand computation', () => {
    // Two answers, 3/4 and 1/4: a = 9/16, b = 1/16: (10/16) H(0.9); the same answer twice: 2 * 3/16 ln 2.
    const two: LabelledDistribution = { weight: Float64Array.of(0.5, 0.5), eta: Float64Array.of(0.75, 0.25) };
    const entropy = -(0.9 * Math.log(0.9) + 0.1 * Math.log(0.1));
    expect(leastLogisticRisk(two)).toBeCloseTo((10 / 16) * entropy + (6 / 16) * Math.LN2, 12);
    // Reached by f = logit P(right | x) = +- log 3.
    expect(pairRisk(two, [Math.log(3), -Math.log(3)], logistic)).toBeCloseTo(leastLogisticRisk(two), 12);
  });

  it('has a least risk that no scores go below', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: 7 }), (seed, scores) => {
        for (const labels of ['deterministic', 'stochastic', 'near-half'] as const) {
          const drawn = randomDistribution(7, labels, stream(seed, 'least'));
          const regrets = regretsOf(drawn, scores);
          expect(regrets.logistic).toBeGreaterThanOrEqual(-1e-12);
          expect(regrets.auc).toBeLessThanOrEqual(squareRootBound(regrets.logistic) + 1e-9);
          if (labels === 'deterministic') {
            expect(regrets.auc).toBeLessThanOrEqual(linearBound(regrets.logistic) + 1e-12);
          }
        }
      }),
    );
  });

  it('is false for stochastic labels by a factor that grows as P(right) nears a half, by hand', () => {
    // a - b = 2 e: the AUC regret is 2 e. The logistic one is (a + b)(ln 2 - H) ~ (1/2 + 2 e^2) (4 e)^2 / 2 = 4 e^2.
    const { auc, logistic: excess } = nearHalfRegrets(0.001);
    expect(auc).toBeCloseTo(0.002, 9);
    expect(excess).toBeCloseTo(4e-6, 9);
    expect(auc / linearBound(excess)).toBeGreaterThan(300);
  });

  it('holds', () => {
    expect(verdicts(regretBounds(300, 5))).toEqual({ '4a': true, '4b': true, '4c': true });
  });
});

describe('claim 5', () => {
  it('has the gradient of the smoothed AUC of a hand computation', () => {
    // One pair, tied: slope of the sigmoid 1/4 over the smoothing 0.1 = 2.5. GRPO: 0.5 / (sqrt(1/2) + 1e-6).
    const groups = { groupSize: 2, rewards: Float64Array.of(1, 0), lpm: Float64Array.of(-0.3, -0.3) };
    const { auc, grpo, capo } = lpmDirections(groups, 1, 0.1);
    expect(auc[0]).toBeCloseTo(2.5, 12);
    expect(auc[1]).toBeCloseTo(-2.5, 12);
    expect(grpo[0]).toBeCloseTo(Math.SQRT1_2, 5);
    // sigmoid(0) / tau / G = 1/4.
    expect(capo[0]).toBeCloseTo(0.25, 12);
  });

  it('is the numerical gradient of the smoothed AUC', () => {
    const rewards = Float64Array.of(1, 0, 1, 0);
    const at = [-0.3, -0.2, -0.9, -1.1];
    const smoothed = (lpm: number[]) => {
      let sum = 0;
      for (const i of [0, 2]) for (const j of [1, 3]) sum += 1 / (1 + Math.exp(-(lpm[i] - lpm[j]) / 0.2)) / 4;
      return sum;
    };
    const { auc } = lpmDirections({ groupSize: 4, rewards, lpm: Float64Array.from(at) }, 1, 0.2);
    at.forEach((_, k) => {
      const moved = (step: number) => smoothed(at.map((value, i) => (i === k ? value + step : value)));
      expect(auc[k]).toBeCloseTo((moved(1e-5) - moved(-1e-5)) / 2e-5, 6);
    });
  });

  it('has the cosines of a hand computation', () => {
    expect(cosine([1, 0], [1, 1])).toBeCloseTo(Math.SQRT1_2, 12);
    expect(cosine([1, 2], [-2, -4])).toBeCloseTo(-1, 12);
    expect(cosine([0, 0], [1, 1])).toBeNull();
  });
});
