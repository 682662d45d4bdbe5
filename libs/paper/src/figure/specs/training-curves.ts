import type { FigurePanel, FigureSpec } from '../figure-spec.js';
import { type Curve, lineOf } from './curve.js';

/** One quantity over training. */
export interface TrainingPanel {
  /** What the y axis shows, for instance `accuracy (mean@16)`. */
  quantity: string;
  /** One curve a method: x the training step, y the mean over seeds, low and high its interval. */
  curves: readonly Curve[];
  /** A value to compare with, for instance chance at AUC 0.5. */
  reference?: { label: string; value: number };
}

/** Quantities over training steps side by side (the paper's figure 1): one line a method, the band over seeds. */
export function trainingCurves(panels: readonly TrainingPanel[]): FigureSpec {
  const drawn = panels.map(({ quantity, curves, reference }): FigurePanel => {
    const steps = curves.flatMap(({ x }) => [...ends(x)]);
    const [first, last] = [Math.min(...steps), Math.max(...steps)];
    return {
      x: { title: 'training step', ...(first < last && { min: first, max: last }) },
      y: { title: quantity },
      series: [
        ...curves.map((curve) => lineOf(curve)),
        ...(reference ? [level(reference.label, reference.value, first, last)] : []),
      ],
    };
  });
  return { rows: [{ panels: drawn }] };
}

/** First and last of an ordered column. */
function ends(x: ArrayLike<number>): number[] {
  return x.length > 0 ? [x[0], x[x.length - 1]] : [];
}

/** A horizontal reference. */
function level(label: string, y: number, from: number, to: number) {
  return {
    kind: 'reference' as const,
    label,
    points: [
      { x: from, y },
      { x: to, y },
    ],
  };
}
