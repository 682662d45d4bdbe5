import type { ChartConfiguration, ChartDataset, ScatterDataPoint } from 'chart.js';
import type { FigurePanel, FigureSeries } from './figure-spec.js';
import { lineStyle, REFERENCE_COLOR, translucent } from './palette.js';

/** The font that is bundled, so that a figure does not depend on the fonts of the machine. */
export const FONT_FAMILY = 'DejaVu Sans';

const TEXT_COLOR = '#222222';
const GRID_COLOR = '#E6E6E6';

/** The labels of a figure in the order in which they first occur; references are not in the legend. */
export function legendLabels(panels: readonly FigurePanel[]): string[] {
  const lines = panels.flatMap(({ series }) => series.filter(({ reference }) => !reference));
  return [...new Set(lines.map(({ label }) => label))];
}

/** A panel as a chart.js configuration. Sizes are in points. */
export function chartConfiguration(panel: FigurePanel, labels: readonly string[]): ChartConfiguration<'line' | 'bar'> {
  return {
    type: 'line',
    data: { datasets: panel.series.flatMap((series) => datasets(series, labels)) },
    options: {
      responsive: false,
      animation: false,
      parsing: false,
      devicePixelRatio: 1,
      layout: { padding: 4 },
      font: { family: FONT_FAMILY, size: 8 },
      plugins: {
        legend: { display: false },
        title: {
          display: panel.title !== undefined,
          text: panel.title ?? '',
          color: TEXT_COLOR,
          font: { family: FONT_FAMILY, size: 9, weight: 'normal' },
          padding: { top: 0, bottom: 4 },
        },
      },
      scales: {
        x: axis(panel.xTitle, panel.xRange),
        y: axis(panel.yTitle, panel.yRange),
      },
    },
  };
}

function axis(title: string, range: readonly [number, number] | undefined) {
  return {
    type: 'linear' as const,
    ...(range && { min: range[0], max: range[1] }),
    title: { display: true, text: title, color: TEXT_COLOR, font: { family: FONT_FAMILY, size: 8 }, padding: 2 },
    // Bars would else have half a bar's width of room at both ends, beyond the range.
    offset: false,
    ticks: {
      color: TEXT_COLOR,
      font: { family: FONT_FAMILY, size: 7 },
      maxTicksLimit: 7,
      maxRotation: 0,
      ...(range && range[0] === 0 && range[1] === 1 && { stepSize: 0.2 }),
    },
    grid: { color: GRID_COLOR, lineWidth: 0.5, tickLength: 3, offset: false },
    border: { color: TEXT_COLOR, width: 0.6 },
  };
}

/** The line, and under it the band as two invisible lines with the space between them filled. */
function datasets(series: FigureSeries, labels: readonly string[]): ChartDataset<'line' | 'bar', ScatterDataPoint[]>[] {
  const points = series.points.map(({ x, y }) => ({ x, y }));
  if (series.reference) {
    const style = { borderColor: REFERENCE_COLOR, borderWidth: 0.8, borderDash: [3, 3], pointRadius: 0 };
    return [{ label: series.label, data: points, ...style }];
  }
  const style = lineStyle(labels.indexOf(series.label));
  if (series.bars) return [barDataset(series.label, points, style.color)];
  const line: ChartDataset<'line', ScatterDataPoint[]> = {
    label: series.label,
    data: points,
    borderColor: style.color,
    backgroundColor: style.color,
    borderWidth: 1.3,
    borderJoinStyle: 'round',
    borderDash: style.dash,
    pointStyle: style.marker,
    // Markers on a curve with hundreds of points would hide it.
    pointRadius: points.length <= 40 ? 1.8 : 0,
    fill: false,
    // Markers at the ends of the axes are whole.
    clip: 3,
  };
  const banded = (series.band ?? series.points).filter(({ low, high }) => low != null && high != null);
  if (banded.length === 0) return [line];
  const edge = { label: series.label, borderWidth: 0, pointRadius: 0, borderColor: 'transparent' };
  const lower = banded.map(({ x, low }) => ({ x, y: low as number }));
  const upper = banded.map(({ x, high }) => ({ x, y: high as number }));
  return [
    line,
    { ...edge, data: lower, fill: false },
    { ...edge, data: upper, fill: '-1', backgroundColor: translucent(style.color, 0.18) },
  ];
}

/** Bars side by side when several series share a panel. */
function barDataset(label: string, data: ScatterDataPoint[], color: string): ChartDataset<'bar', ScatterDataPoint[]> {
  return {
    type: 'bar',
    label,
    data,
    backgroundColor: translucent(color, 0.6),
    borderColor: color,
    borderWidth: 0.5,
    barPercentage: 0.95,
    categoryPercentage: 0.95,
  } as ChartDataset<'bar', ScatterDataPoint[]>;
}
