import { surrogateValue } from '@capo/rl-core';
import { stream } from '@capo/samples';
import type { TheoryPart } from './claim.js';
import {
  aucOf,
  bestAuc,
  classConditionals,
  type LabelledDistribution,
  pairRisk,
  randomDistribution,
} from './pair-distribution.js';

/** Two right and two wrong answers, one pair of the four in the wrong order: AUC 3/4. */
const SCALED: LabelledDistribution = {
  weight: Float64Array.of(0.25, 0.25, 0.25, 0.25),
  eta: Float64Array.of(1, 1, 0, 0),
};
const SCORES = [-0.2, -0.6, -0.5, -0.9];

/** One row of the scale counterexample. */
export interface ScaleRow {
  scale: number;
  auc: number;
  linear: number;
  logistic: number;
}

/** AUC and risks of a f for the scales a. */
export function scaleRows(scales: readonly number[]): ScaleRow[] {
  return scales.map((scale) => {
    const scores = SCORES.map((score) => scale * score);
    const risk = (surrogate: 'linear' | 'logistic') => pairRisk(SCALED, scores, (t) => surrogateValue(surrogate, t, 1));
    return { scale, auc: aucOf(SCALED, scores), linear: risk('linear'), logistic: risk('logistic') };
  });
}

/**
 * The scores in [0, 1] of least linear risk. The risk is `-sum over x of (P(x | right) - P(x | wrong)) f(x)`, so that the
 * best score is 1 where the answer is likelier among the right ones and 0 elsewhere: all finer order is lost.
 */
export function linearMinimiser(distribution: LabelledDistribution): Float64Array {
  const { right, wrong } = classConditionals(distribution);
  return right.map((p, i) => (p > wrong[i] ? 1 : 0));
}

/** The weights of the linear scorer `w . x`, |w| = 1, of least linear risk: the direction between the class means. */
export function meanDifferenceDirection(
  features: readonly (readonly number[])[],
  distribution: LabelledDistribution,
): number[] {
  const { right, wrong } = classConditionals(distribution);
  const direction = features[0].map((_, d) => features.reduce((sum, x, i) => sum + (right[i] - wrong[i]) * x[d], 0));
  const norm = Math.hypot(...direction);
  return direction.map((value) => value / norm);
}

/**
 * Right answers at (10, 0.1), one in five, and (-1, 0.1); wrong ones at (0, 0). The second feature puts every pair in
 * order; the first has the larger difference of means, because of one answer in five, and misranks the other four.
 */
const OUTLIER = {
  features: [
    [10, 0.1],
    [-1, 0.1],
    [0, 0],
  ],
  distribution: { weight: Float64Array.of(0.1, 0.4, 0.5), eta: Float64Array.of(1, 1, 0) },
};

/** Claim 2: the linear surrogate, hence the reward-only advantage, is not consistent with AUC. */
export function inconsistency(distributions: number, seed: number): TheoryPart {
  const rows = scaleRows([1, 2, 4, 8, 16, 32]);
  const [first, last] = [rows[0], rows[rows.length - 1]];
  const falls = rows.every((row, i) => i === 0 || row.linear < rows[i - 1].linear);
  const sameAuc = rows.every(({ auc }) => auc === first.auc);
  const best = Math.min(...rows.map(({ logistic }) => logistic));

  const { features, distribution } = OUTLIER;
  const direction = meanDifferenceDirection(features, distribution);
  const along = (w: readonly number[]) =>
    aucOf(
      distribution,
      features.map((x) => x[0] * w[0] + x[1] * w[1]),
    );
  const outlier = { minimiser: along(direction), best: along([0, 1]) };

  let below = 0;
  let largest = 0;
  for (let k = 0; k < distributions; k++) {
    const random = stream(seed, 'inconsistency', k);
    const drawn = randomDistribution(3 + random.integer(6), 'stochastic', random);
    const gap = bestAuc(drawn) - aucOf(drawn, linearMinimiser(drawn));
    if (gap > 1e-9) below++;
    largest = Math.max(largest, gap);
  }
  return {
    claims: [
      {
        id: '2a',
        statement: 'AUC does not change with the scale of f, while the linear surrogate falls without end',
        measured: `scale 1 to ${last.scale}: AUC ${first.auc} to ${last.auc}, linear ${first.linear.toFixed(2)} to ${last.linear.toFixed(2)}, logistic ${first.logistic.toFixed(2)}, least ${best.toFixed(2)}, then ${last.logistic.toFixed(2)}`,
        holds: falls && sameAuc && last.logistic > best,
      },
      {
        id: '2b',
        statement: 'Among scorers of bounded size, the one of least linear risk may rank far worse than the best',
        measured: `linear scorers with an outlier: AUC ${outlier.minimiser.toFixed(2)} where ${outlier.best.toFixed(2)} is possible`,
        holds: outlier.minimiser < outlier.best,
      },
      {
        id: '2c',
        statement: 'With scores in [0, 1] the minimiser of the linear risk is below the best AUC on most distributions',
        measured: `${below} of ${distributions} random distributions, by up to ${largest.toFixed(3)}`,
        holds: below > distributions / 2,
      },
    ],
    tables: [
      {
        title: 'The scale counterexample: a f for growing a',
        header: ['a', 'AUC', 'linear surrogate', 'logistic surrogate'],
        rows: rows.map(({ scale, auc, linear, logistic }) => [
          String(scale),
          auc.toFixed(3),
          linear.toFixed(3),
          logistic.toFixed(3),
        ]),
        notes: ['Right answers with lpm -0.2 and -0.6, wrong ones with -0.5 and -0.9; tau = 1.'],
      },
    ],
  };
}
