import type { AxisSpec } from './figure-spec.js';
import { FONT_SIZE, GRID_COLOR, TEXT_COLOR } from './figure-style.js';
import { FONT_FAMILY } from './font.js';
import type { Extent } from './panel-extent.js';

/**
 * The chart.js scale of an axis.
 *
 * @param extent of the data, or where the axis ends
 * @param mostTicks how many ticks the axis has room for
 */
export function axisOptions(axis: AxisSpec, extent: Extent, mostTicks: number) {
  const log = axis.scale === 'log';
  const placed = log ? logAxis(axis, extent) : linearAxis(extent, mostTicks);
  const ticks = axis.ticks ?? placed.ticks;
  return {
    type: log ? ('logarithmic' as const) : ('linear' as const),
    min: axis.min ?? placed.min,
    max: axis.max ?? placed.max,
    title: {
      display: axis.title !== '',
      text: axis.title,
      color: TEXT_COLOR,
      font: { family: FONT_FAMILY, size: FONT_SIZE.text },
      padding: 2,
    },
    afterBuildTicks: (scale: { ticks: { value: number }[]; min: number; max: number }) => {
      scale.ticks = ticks.filter((value) => value >= scale.min && value <= scale.max).map((value) => ({ value }));
    },
    ticks: {
      color: TEXT_COLOR,
      font: { family: FONT_FAMILY, size: FONT_SIZE.tick },
      padding: 2,
      maxRotation: 0,
      autoSkip: false,
      callback: (value: number | string, _: number, all: { value: number }[]) =>
        tickText(
          Number(value),
          all.map((tick) => tick.value),
          axis,
        ),
    },
    grid: { color: GRID_COLOR, lineWidth: 0.4, tickLength: 2.5, tickColor: TEXT_COLOR, tickWidth: 0.6 },
    border: { color: TEXT_COLOR, width: 0.6 },
  };
}

interface PlacedTicks extends Extent {
  ticks: readonly number[];
}

/** Ticks at multiples of 1, 2, 2.5 or 5 times a power of ten, the axis from tick to tick around the data. */
function linearAxis({ min, max }: Extent, mostTicks: number): PlacedTicks {
  const least = (max - min) / Math.max(1, mostTicks - 1);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9)) as number) * power;
  const first = Math.floor(min / step + 1e-9);
  const last = Math.ceil(max / step - 1e-9);
  // Rounded, since 3 * 0.1 is not 0.3.
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  return { ticks, min: ticks[0], max: ticks[ticks.length - 1] };
}

/** A log axis ends a little outside of its data, so that marks at the ends are whole. */
function logAxis({ ticks = [] }: AxisSpec, extent: Extent): PlacedTicks {
  const [first, last] = [Math.min(extent.min, ...ticks), Math.max(extent.max, ...ticks)];
  const room = (last / first) ** 0.04;
  return { min: first / room, max: last * room, ticks: logTicks(extent) };
}

/** Powers of the smallest base of 2, 10 and 100 that does not crowd the axis. */
function logTicks({ min, max }: Extent): number[] {
  const base = [2, 10].find((candidate) => Math.log(max / min) / Math.log(candidate) <= 7) ?? 100;
  const exponent = (value: number) => Math.log(value) / Math.log(base);
  const first = Math.ceil(exponent(min) - 1e-9);
  const last = Math.floor(exponent(max) + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => base ** (first + i));
}

/**
 * A tick as text: as many decimals as its neighbours need, a true minus sign, thousands as k and millions as M when all
 * ticks are whole thousands or millions.
 */
export function tickText(value: number, all: readonly number[], { format, scale }: Pick<AxisSpec, 'format' | 'scale'>) {
  const factor = format === 'percent' ? 100 : 1;
  const suffix = format === 'percent' ? '%' : '';
  // Neighbours on a log scale differ by their size, so each is written as it needs.
  const shown = (scale === 'log' ? [value] : all).map((one) => one * factor);
  for (const [unit, letter] of [
    [1e9, 'B'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    const fits = shown.every((one) => Math.abs(one - Math.round(one / (unit / 10)) * (unit / 10)) < 1e-6 * unit);
    if (fits && Math.max(...shown.map(Math.abs)) >= (scale === 'log' ? 1 : 10) * unit) {
      return minus(`${trimmed((value * factor) / unit)}${value === 0 ? '' : letter}${suffix}`);
    }
  }
  const decimals = Math.max(0, ...shown.map((one) => trimmed(one).split('.')[1]?.length ?? 0));
  return minus(`${(value * factor).toFixed(decimals)}${suffix}`);
}

/** The shortest decimal that differs from the number by rounding errors only. */
function trimmed(value: number): string {
  return String(Number(value.toPrecision(10)));
}

function minus(text: string): string {
  return text.replace(/^-/, '\u2212');
}
