import type { BandPoint, FigurePoint, LineSeries } from '../figure-spec.js';

/** Numbers in order: an array or a typed array. */
export type Values = ArrayLike<number | null>;

/**
 * A curve as columns of equal length, as the metrics library gives them. A null y is a gap; a null low or high is a
 * point without an interval.
 */
export interface Curve {
  label: string;
  x: ArrayLike<number>;
  y: Values;
  /** The ends of the interval at every point. */
  low?: Values;
  high?: Values;
  /** The interval at points of its own, instead. */
  band?: readonly BandPoint[];
  /** The index of the look; see `FigureSeries`. */
  style?: number;
}

/** The curve as a line. @throws RangeError for columns of different lengths */
export function lineOf({ label, x, y, low, high, band, style }: Curve, more: Partial<LineSeries> = {}): LineSeries {
  for (const [name, column] of Object.entries({ y, low, high })) {
    if (column && column.length !== x.length) {
      throw new RangeError(`"${label}": ${x.length} x and ${column.length} values in ${name}`);
    }
  }
  const points = Array.from(x, (at, i): FigurePoint => {
    return { x: at, y: y[i], low: low?.[i] ?? null, high: high?.[i] ?? null };
  });
  return { kind: 'line', label, points, ...(band && { band }), ...(style !== undefined && { style }), ...more };
}
