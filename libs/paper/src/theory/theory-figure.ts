import type { FigurePoint, FigureSpec } from '../figure/figure-spec.js';
import { scaleRows } from './inconsistency.js';
import { linearBound, randomRegrets, squareRootBound } from './regret-bound.js';

/** Points drawn of each kind of labels; more would hide each other. */
const POINTS = 300;

/**
 * The scale counterexample, and the regrets of random scorers with the two bounds: with deterministic labels all lie
 * below the paper's, with stochastic labels only below the square root.
 */
export function theoryFigure(seed: number): FigureSpec {
  const scales = scaleRows([1, 2, 4, 8, 16, 32]);
  const points = (of: (row: (typeof scales)[number]) => number): FigurePoint[] =>
    scales.map((row) => ({ x: row.scale, y: of(row) }));
  const regrets = (labels: 'deterministic' | 'stochastic' | 'near-half') =>
    randomRegrets(labels, POINTS, seed)
      .filter(({ auc, logistic }) => auc > 1e-5 && logistic > 1e-5)
      .map(({ auc, logistic }): FigurePoint => ({ x: logistic, y: auc }));
  const line = (bound: (regret: number) => number) =>
    [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10].map((x) => ({ x, y: bound(x) })).filter(({ y }) => y <= 2);
  return {
    rows: [
      {
        panels: [
          {
            title: 'Scale counterexample',
            x: { title: 'scale a of a f', scale: 'log' },
            y: { title: 'surrogate' },
            series: [
              { kind: 'line', label: 'linear', points: points(({ linear }) => linear) },
              { kind: 'line', label: 'logistic', points: points(({ logistic }) => logistic) },
              { kind: 'line', label: 'AUC', points: points(({ auc }) => auc) },
            ],
          },
          {
            title: 'Regret bounds',
            x: { title: 'regret of the logistic surrogate', scale: 'log' },
            y: { title: 'regret of AUC', scale: 'log' },
            series: [
              { kind: 'scatter', label: 'deterministic labels', points: regrets('deterministic') },
              { kind: 'scatter', label: 'stochastic labels', points: regrets('stochastic') },
              { kind: 'scatter', label: 'P(right) near 1/2', points: regrets('near-half') },
              { kind: 'reference', label: 'regret / ln 2 (steep line)', points: line(linearBound) },
              { kind: 'reference', label: 'sqrt(2 regret) (flat line)', points: line(squareRootBound) },
            ],
          },
        ],
      },
    ],
  };
}
