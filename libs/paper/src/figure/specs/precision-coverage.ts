import type { FigureSpec } from '../figure-spec.js';
import { type Curve, lineOf, type Values } from './curve.js';

/** x is the coverage, y the precision. */
export interface PrecisionCoverageCurve extends Curve {
  /** Coverages below it are left out: there, precision is that of a handful of answers. Default 0. */
  smallest?: number;
}

/**
 * Precision against coverage: what share of the given answers is right when only the surest share of all is given.
 *
 * @param curves x the coverage in ascending order, y the precision, one point a group of tied scores
 */
export function precisionCoverageFigure(curves: readonly PrecisionCoverageCurve[]): FigureSpec {
  return {
    rows: [
      {
        panels: [
          {
            x: { title: 'coverage', min: 0, max: 1 },
            y: { title: 'precision', ...topOf(curves) },
            series: curves.map((curve) => lineOf(withoutStart(curve))),
          },
        ],
      },
    ],
  };
}

/** Round numbers above the data would leave room above 1, where no precision is. */
function topOf(curves: readonly Curve[]): { max?: number } {
  const largest = (values: Values | undefined) =>
    Array.from(values ?? []).reduce<number>((a, b) => Math.max(a, b ?? 0), 0);
  const top = Math.max(...curves.flatMap(({ y, high }) => [largest(y), largest(high)]), 0);
  return top > 0.9 ? { max: 1 } : {};
}

/** The curve without the coverages that are too small. */
function withoutStart({ x, y, low, high, band, smallest = 0, ...rest }: PrecisionCoverageCurve): Curve {
  const xs = Array.from(x);
  const first = xs.findIndex((at) => at >= smallest);
  const cut = (values: Values) => Array.from(values).slice(first < 0 ? xs.length : first);
  return {
    ...rest,
    x: cut(xs) as number[],
    y: cut(y),
    ...(low && { low: cut(low) }),
    ...(high && { high: cut(high) }),
    ...(band && { band: band.filter((point) => point.x >= smallest) }),
  };
}
