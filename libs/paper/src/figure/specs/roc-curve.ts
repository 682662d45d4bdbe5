import type { FigureSpec } from '../figure-spec.js';
import { type Curve, lineOf } from './curve.js';

/** The ROC curves of several groups: x the false positive rate, y the true positive rate, and the diagonal of chance. */
export function rocFigure(curves: readonly Curve[]): FigureSpec {
  const unit = { min: 0, max: 1, ticks: [0, 0.2, 0.4, 0.6, 0.8, 1] };
  return {
    rows: [
      {
        height: 3,
        panels: [
          {
            x: { title: 'false positive rate', ...unit },
            y: { title: 'true positive rate', ...unit },
            series: [
              ...curves.map((curve) => lineOf(curve)),
              { kind: 'reference', label: 'chance', points: [0, 1].map((x) => ({ x, y: x })) },
            ],
          },
        ],
      },
    ],
  };
}
