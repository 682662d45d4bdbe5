import type { FigurePanel, FigureSeries } from './figure-spec.js';

/** From the least to the largest number of a panel on one axis. */
export interface Extent {
  min: number;
  max: number;
}

/** Every x and y of a series, intervals and bands included. */
export function* seriesNumbers(series: FigureSeries): Generator<{ axis: 'x' | 'y'; value: number; where: string }> {
  const y = (value: number | null | undefined, where: string) => ({ axis: 'y' as const, value, where });
  const x = (value: number, where: string) => ({ axis: 'x' as const, value, where });
  const all = function* () {
    if (series.kind === 'bars') {
      for (const [i, bar] of series.bars.entries()) {
        yield x(bar.left, `bar ${i}, left`);
        yield x(bar.right, `bar ${i}, right`);
        yield y(bar.from ?? 0, `bar ${i}, from`);
        yield y(bar.to, `bar ${i}, to`);
        yield y(bar.low, `bar ${i}, low`);
        yield y(bar.high, `bar ${i}, high`);
      }
      return;
    }
    for (const [i, point] of series.points.entries()) {
      yield x(point.x, `point ${i}, x`);
      yield y(point.y, `point ${i}, y`);
      if (series.kind === 'reference') continue;
      yield y((point as { low?: number | null }).low, `point ${i}, low`);
      yield y((point as { high?: number | null }).high, `point ${i}, high`);
    }
    for (const [i, { x: at, low, high }] of (series.kind === 'line' ? (series.band ?? []) : []).entries()) {
      yield x(at, `band ${i}, x`);
      yield y(low, `band ${i}, low`);
      yield y(high, `band ${i}, high`);
    }
  };
  for (const { axis, value, where } of all()) if (value != null) yield { axis, value, where };
}

/** The extent of a panel's data; [0, 1] where there are none, and never without width. Zero is no part of a log axis. */
export function panelExtent(panel: FigurePanel): { x: Extent; y: Extent } {
  const extent = {
    x: { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY },
    y: { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY },
  };
  for (const series of panel.series) {
    for (const { axis, value } of seriesNumbers(series)) {
      if (panel[axis].scale === 'log' && value <= 0) continue;
      extent[axis].min = Math.min(extent[axis].min, value);
      extent[axis].max = Math.max(extent[axis].max, value);
    }
  }
  for (const axis of ['x', 'y'] as const) {
    const one = extent[axis];
    const { min, max, scale } = panel[axis];
    one.min = min ?? one.min;
    one.max = max ?? one.max;
    if (!(one.min <= one.max)) [one.min, one.max] = scale === 'log' ? [1, 10] : [0, 1];
    if (one.min === one.max) {
      if (scale === 'log') [one.min, one.max] = [one.min / 2, one.max * 2];
      else [one.min, one.max] = [one.min - 0.5, one.max + 0.5];
    }
    // Single points and their whiskers must not stand on the axes.
    if (scale !== 'log' && panel.series.some(({ kind }) => kind === 'scatter')) {
      const room = 0.03 * (one.max - one.min);
      if (min === undefined) one.min -= room;
      if (max === undefined) one.max += room;
    }
  }
  return extent;
}
