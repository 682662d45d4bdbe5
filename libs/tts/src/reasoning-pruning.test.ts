import { stream } from '@capo/samples';
import { describe, expect, it } from 'vitest';
import { prunedPaths } from './reasoning-pruning.js';
import { majorityVotes, perplexityConsistencyVotes } from './votes.js';
import { fitWeibull, fitWeibullMixture, highPosterior, logDensity } from './weibull-mixture.js';

const weibull = (shape: number, scale: number, uniform: () => number) =>
  scale * (-Math.log(1 - uniform())) ** (1 / shape);

describe('fitWeibull', () => {
  it('finds shape and scale of its own samples, within four standard errors', () => {
    const random = stream(1, 'weibull');
    const values = Array.from({ length: 4000 }, () => weibull(2.5, 0.3, random.uniform));
    const { shape, scale } = fitWeibull(
      values,
      values.map(() => 1),
    ) as { shape: number; scale: number };
    // Asymptotic standard errors: 0.78 k / sqrt(n) and 1.05 scale / (k sqrt(n)).
    expect(Math.abs(shape - 2.5)).toBeLessThan((4 * 0.78 * 2.5) / Math.sqrt(4000));
    expect(Math.abs(scale - 0.3)).toBeLessThan((4 * 1.05 * 0.3) / (2.5 * Math.sqrt(4000)));
  });

  it('has the exponential density at shape 1', () => {
    expect(logDensity(2, { shape: 1, scale: 4 })).toBeCloseTo(Math.log(1 / 4) - 0.5, 12);
  });
});

describe('fitWeibullMixture', () => {
  it('tells two clearly different groups apart', () => {
    const random = stream(2, 'mixture');
    const values = Array.from({ length: 400 }, (_, i) => weibull(3, i % 4 === 0 ? 1 : 0.01, random.uniform));
    const mixture = fitWeibullMixture(values);
    expect(mixture?.highShare).toBeCloseTo(0.25, 1);
    const errors = values.filter(
      (value, i) => highPosterior(value, mixture as NonNullable<typeof mixture>) >= 0.5 !== (i % 4 === 0),
    );
    expect(errors.length).toBeLessThan(8);
  });

  it('has nothing to say of few or equal values', () => {
    expect(fitWeibullMixture([0.1, 0.2, 0.3])).toBeNull();
    expect(fitWeibullMixture([0.5, 0.5, 0.5, 0.5, 0.5])).toBeNull();
  });
});

describe('prunedPaths', () => {
  it('drops improbable responses, never one at least as probable as the mean', () => {
    const sequenceLogprobs = Float64Array.of(-1, -1.2, -1.1, -0.9, -12, -13, -12.5, -14);
    const draws = {
      answers: new Int32Array(8),
      gold: 0,
      sequenceLogprobs,
      paths: Int32Array.from(sequenceLogprobs.keys()),
    };
    expect(prunedPaths(draws)).toEqual([0, 1, 2, 3]);
    const equal = { ...draws, sequenceLogprobs: new Float64Array(8).fill(-5) };
    expect(prunedPaths(equal)).toHaveLength(8);
    const underflow = { ...draws, sequenceLogprobs: sequenceLogprobs.map((value) => 100 * value) };
    expect(prunedPaths(underflow)).toContain(3);
  });
});

/*
 * The theory of RPC: self-consistency estimates p(answer) by a frequency, whose squared error is p (1 - p) / n. Perplexity
 * consistency adds up the probabilities of the paths that were seen; what it misses is the mass of the unseen ones, which
 * falls exponentially.
 */
it('errs exponentially less with perplexity consistency, and as p (1 - p) / n with self-consistency', () => {
  // Answer 0 by three paths of 0.3, 0.2 and 0.1, answer 1 by one of 0.4.
  const paths = [0.3, 0.2, 0.1, 0.4];
  const answerOf = [0, 0, 0, 1];
  const random = stream(5, 'theory');
  const squaredErrors = (n: number) => {
    const sums = [0, 0];
    const rounds = 4000;
    for (let round = 0; round < rounds; round++) {
      const drawn = Array.from({ length: n }, () => {
        let u = random.uniform();
        return paths.findIndex((p) => {
          u -= p;
          return u < 0;
        });
      });
      const draws = {
        answers: Int32Array.from(drawn, (path) => answerOf[path]),
        gold: 0,
        paths: Int32Array.from(drawn),
        sequenceLogprobs: Float64Array.from(drawn, (path) => Math.log(paths[path])),
      };
      const frequency = (majorityVotes(draws).get(0) ?? 0) / n;
      // Votes are relative to the most probable path that was drawn.
      const unit = Math.max(...drawn.map((path) => paths[path]));
      const mass = (perplexityConsistencyVotes(draws).get(0) ?? 0) * unit;
      sums[0] += (frequency - 0.6) ** 2;
      sums[1] += (mass - 0.6) ** 2;
    }
    return sums.map((sum) => sum / rounds);
  };
  const sizes = [8, 16, 32, 64];
  const errors = sizes.map(squaredErrors);
  for (const [i, n] of sizes.entries()) {
    expect(errors[i][0] / ((0.6 * 0.4) / n)).toBeCloseTo(1, 0.7);
    // E[(missed mass)^2] is at most sum over pairs of paths of p_i p_j times the chance to miss both.
    const bound = [0, 1, 2].reduce(
      (sum, a) =>
        sum +
        [0, 1, 2].reduce((inner, b) => inner + paths[a] * paths[b] * (1 - paths[a] - (a === b ? 0 : paths[b])) ** n, 0),
      0,
    );
    // Expected, not bounded: within the noise of the simulation.
    expect(errors[i][1]).toBeLessThan(1.25 * bound + 1e-4);
  }
  // From 8 to 64 draws: 8 times less for the frequency, hundreds of times less for the mass.
  expect(errors[0][0] / errors[3][0]).toBeGreaterThan(6);
  expect(errors[0][0] / errors[3][0]).toBeLessThan(11);
  expect(errors[0][1] / Math.max(errors[3][1], 1e-9)).toBeGreaterThan(100);
});
