import { InputError } from '@capo/samples';
import { type FigurePanel, type FigureSpec, panelsOf } from './figure-spec.js';
import { seriesNumbers } from './panel-extent.js';

/**
 * Refuses what cannot be drawn as it stands, where a drawing library would leave it out in silence.
 *
 * @throws InputError that names the panel, the series and the point
 */
export function checkFigure(spec: FigureSpec): void {
  if (panelsOf(spec).length === 0) throw new InputError('A figure needs at least one panel.');
  for (const size of [spec.width ?? 1, ...spec.rows.map(({ height }) => height ?? 1)]) {
    if (!(size > 0 && size <= 50)) throw new InputError(`A size of ${size} inches cannot be drawn.`);
  }
  panelsOf(spec).forEach(checkPanel);
}

function checkPanel(panel: FigurePanel, index: number): void {
  const where = `Panel ${index}`;
  for (const axis of ['x', 'y'] as const) {
    const { min, max, ticks = [], scale } = panel[axis];
    for (const value of [min, max, ...ticks]) {
      if (value === undefined) continue;
      if (!Number.isFinite(value)) throw new InputError(`${where}, ${axis} axis: ${value} cannot be drawn.`);
      if (scale === 'log' && value <= 0) {
        throw new InputError(`${where}, ${axis} axis: ${value} has no place on a log scale.`);
      }
    }
    if (min !== undefined && max !== undefined && min >= max) {
      throw new InputError(`${where}, ${axis} axis: it goes from ${min} to ${max}.`);
    }
  }
  for (const series of panel.series) {
    for (const { axis, value, where: place } of seriesNumbers(series)) {
      const what = `${where}, series "${series.label}", ${place}`;
      if (!Number.isFinite(value)) {
        throw new InputError(`${what}: ${value} cannot be drawn.`, 'Leave the point out or give null for a gap.');
      }
      // A bar from 0 is cut off at the end of the axis.
      if (panel[axis].scale === 'log' && value <= 0 && !place.endsWith('from')) {
        throw new InputError(`${what}: ${value} has no place on a log scale.`);
      }
    }
  }
}
