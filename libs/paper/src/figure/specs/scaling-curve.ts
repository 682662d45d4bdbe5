import type { FigureSpec } from '../figure-spec.js';
import { type Curve, lineOf } from './curve.js';

/**
 * Accuracy against the number of samples or tokens that are spent, on a logarithmic axis.
 *
 * @param curves x the number, above 0; y the accuracy; one curve a way of voting or a method
 * @param cost what x counts, for instance `samples per problem` or `tokens per problem`
 */
export function scalingFigure(curves: readonly Curve[], cost = 'samples per problem'): FigureSpec {
  return {
    rows: [
      {
        panels: [
          {
            x: { title: cost, scale: 'log' },
            y: { title: 'accuracy' },
            series: curves.map((curve) => lineOf(curve)),
          },
        ],
      },
    ],
  };
}
