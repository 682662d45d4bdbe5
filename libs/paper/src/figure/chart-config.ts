import type { ChartConfiguration, ChartDataset, ScatterDataPoint } from 'chart.js';
import { axisOptions } from './axis-options.js';
import type { FigurePanel, FigurePoint, FigureSeries, LineSeries } from './figure-spec.js';
import {
  FONT_SIZE,
  type LegendEntry,
  LINE_WIDTH,
  MARKER_RADIUS,
  type SeriesStyle,
  TEXT_COLOR,
} from './figure-style.js';
import { FONT_FAMILY } from './font.js';
import { type Extent, panelExtent } from './panel-extent.js';
import { panelMarks } from './panel-marks.js';
import { runs } from './runs.js';
import { simplifyLine } from './simplify-line.js';

type Dataset = ChartDataset<'scatter', ScatterDataPoint[]>;

/** Room in points between a panel's edges and its axes, and the width of its y axis, where panels are to be aligned. */
export interface PanelFrame {
  padding: { left: number; right: number; top: number; bottom: number };
  yAxisWidth: number;
  xAxisHeight: number;
}

/** A thousandth of the axes is a fifth of a point on a panel as wide as a column. */
const TOLERANCE = 0.001;
/** Up to that many points each is marked; of more, about that many, evenly spaced. */
const MARKED_POINTS = 16;
/** The room in points that a tick takes on either axis. */
const X_TICK = 30;
const Y_TICK = 22;
/** How far a mark may reach over the axes. */
const OVERFLOW = 4;

/** A panel as a chart.js configuration. Sizes are in points. Without a frame, chart.js makes room as it sees fit. */
export function chartConfig(
  panel: FigurePanel,
  size: { width: number; height: number },
  entries: readonly LegendEntry[],
  pixelRatio: number,
  frame?: PanelFrame,
): ChartConfiguration<'scatter'> {
  const extent = panelExtent(panel);
  const lookOf = (label: string) => entries.find((entry) => entry.label === label)?.style as SeriesStyle;
  const x = axisOptions(panel.x, extent.x, Math.min(7, Math.floor(size.width / X_TICK)));
  const y = axisOptions(panel.y, extent.y, Math.min(7, Math.floor(size.height / Y_TICK)));
  return {
    type: 'scatter',
    data: { datasets: panel.series.flatMap((series, index) => datasets(panel, series, index, lookOf, extent)) },
    options: {
      responsive: false,
      animation: false,
      events: [],
      locale: 'en-US',
      devicePixelRatio: pixelRatio,
      layout: frame ? { padding: frame.padding, autoPadding: false } : { padding: 2 },
      plugins: {
        legend: { display: false },
        tooltip: { enabled: false },
        title: {
          display: panel.title !== undefined,
          text: panel.title ?? '',
          align: 'start',
          color: TEXT_COLOR,
          font: { family: FONT_FAMILY, size: FONT_SIZE.text, weight: 'bold' },
          padding: { top: 0, bottom: 4 },
        },
      },
      scales: {
        x: { ...x, ...(frame && { afterFit: (scale) => Object.assign(scale, { height: frame.xAxisHeight }) }) },
        y: { ...y, ...(frame && { afterFit: (scale) => Object.assign(scale, { width: frame.yAxisWidth }) }) },
      },
    } as ChartConfiguration<'scatter'>['options'] & object,
    plugins: [panelMarks(panel, lookOf)],
  };
}

/** The lines and marks that chart.js draws itself; bars, bands and whiskers are drawn by `panelMarks`. */
function datasets(
  panel: FigurePanel,
  series: FigureSeries,
  index: number,
  lookOf: (label: string) => SeriesStyle,
  extent: { x: Extent; y: Extent },
): Dataset[] {
  if (series.kind === 'bars') return [];
  const { color, dash, marker } = lookOf(series.label);
  const points = series.points.map(({ x, y }) => ({ x, y: y ?? Number.NaN }));
  const line: Dataset = {
    label: series.label,
    data: [],
    showLine: true,
    // The first series lies on top, the references below all others.
    order: series.kind === 'reference' ? panel.series.length + 2 : index + 1,
    borderColor: color,
    borderDash: dash,
    // Dashed round joins become thousands of arcs in an SVG.
    borderJoinStyle: 'bevel',
    borderWidth: series.kind === 'reference' ? 0.8 : LINE_WIDTH,
    pointRadius: 0,
    // Marks at the end of an axis are whole; data beyond the end of an axis are cut off at it.
    clip: isWithin(series.points, panel) ? OVERFLOW : 0,
  };
  if (series.kind === 'reference') return [{ ...line, data: points }];
  const marks: Dataset = {
    ...line,
    data: series.kind === 'scatter' ? points : markedPoints(series, index),
    showLine: false,
    order: index + 0.5,
    pointStyle: marker.shape,
    pointRadius: MARKER_RADIUS,
    pointBorderWidth: marker.look === 'filled' ? 0 : LINE_WIDTH,
    backgroundColor: marker.look === 'filled' ? color : 'white',
  };
  if (series.kind === 'scatter') return [marks];
  return [{ ...line, data: simplified(points, panel, extent) }, ...(series.markers === false ? [] : [marks])];
}

function isWithin(points: readonly { x: number; y: number | null }[], { x, y }: FigurePanel): boolean {
  const within = (value: number | null, { min, max }: { min?: number; max?: number }) =>
    value === null || (value >= (min ?? value) && value <= (max ?? value));
  return points.every((point) => within(point.x, x) && within(point.y, y));
}

/** All of a few points; of many, evenly spaced ones, which differ from series to series so that marks seldom coincide. */
function markedPoints({ points }: LineSeries, index: number): ScatterDataPoint[] {
  const known = points.filter((point): point is FigurePoint & { y: number } => point.y !== null);
  if (known.length <= MARKED_POINTS) return known.map(({ x, y }) => ({ x, y }));
  const xs = known.map(({ x }) => x);
  const first = xs.reduce((least, x) => Math.min(least, x));
  const last = xs.reduce((most, x) => Math.max(most, x));
  const wanted = MARKED_POINTS / 2 - 2;
  const chosen = new Set<number>();
  for (let k = 0; k < wanted; k++) {
    const target = first + ((k + ((index % 4) + 1) / 5) / wanted) * (last - first);
    let best = 0;
    for (let i = 1; i < xs.length; i++) if (Math.abs(xs[i] - target) < Math.abs(xs[best] - target)) best = i;
    chosen.add(best);
  }
  return [...chosen].map((i) => ({ x: known[i].x, y: known[i].y }));
}

/** The line without the points that make no visible difference; gaps stay gaps. */
function simplified(
  points: readonly FigurePoint[],
  panel: FigurePanel,
  extent: { x: Extent; y: Extent },
): ScatterDataPoint[] {
  // Distances count as they are seen: on a log axis a straight line through the numbers is a curve.
  const seen = (value: number, axis: 'x' | 'y') => {
    const { min, max } = extent[axis];
    return panel[axis].scale === 'log' ? Math.log(value) / Math.log(max / min) : value / (max - min);
  };
  const kept: ScatterDataPoint[] = [];
  for (const run of runs(points, ({ y: value }) => value !== null)) {
    if (kept.length > 0) kept.push({ x: run[0].x, y: Number.NaN });
    const xs = run.map((point) => seen(point.x, 'x'));
    const ys = run.map((point) => seen(point.y as number, 'y'));
    for (const i of simplifyLine(xs, ys, TOLERANCE)) kept.push({ x: run[i].x, y: run[i].y as number });
  }
  return kept;
}
