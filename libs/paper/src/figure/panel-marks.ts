import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Chart, Plugin } from 'chart.js';
import { drawBox } from './draw-box.js';
import type { Bar, BarSeries, FigurePanel, FigureSeries } from './figure-spec.js';
import { BAND_OPACITY, FONT_SIZE, type SeriesStyle, TEXT_COLOR, translucent } from './figure-style.js';
import { canvasFont } from './font.js';
import { runs } from './runs.js';
import { simplifyLine } from './simplify-line.js';

/** A tenth of a point. */
const TOLERANCE = 0.1;
const WHISKER = { width: 0.8, cap: 1.6 } as const;

/** From data to points on the page. */
interface Axes {
  x(value: number): number;
  y(value: number): number;
}

/**
 * What chart.js has no element for, drawn under its lines: bands, bars with edges of their own, whiskers; and the note
 * above them. All bands lie under all lines, so that no band changes the colour of another series' line.
 */
export function panelMarks(panel: FigurePanel, lookOf: (label: string) => SeriesStyle): Plugin<'scatter'> {
  return {
    id: 'panel-marks',
    // The language of the machine must not choose the forms of letters.
    afterInit: (chart) => {
      contextOf(chart).lang = 'en';
    },
    beforeDatasetsDraw: (chart) => {
      const context = contextOf(chart);
      const axes = axesOf(chart);
      const { left, top, width, height } = chart.chartArea;
      context.save();
      context.beginPath();
      context.rect(left, top, width, height);
      context.clip();
      for (const series of panel.series)
        if (series.kind === 'bars') drawBars(context, series, axes, lookOf(series.label));
      for (const series of panel.series) drawBand(context, series, axes, lookOf(series.label));
      for (const series of panel.series) drawWhiskers(context, series, axes, lookOf(series.label));
      context.restore();
    },
    afterDatasetsDraw: (chart) => drawNote(contextOf(chart), panel, chart),
  };
}

function contextOf(chart: Chart<'scatter'>): SKRSContext2D {
  return chart.ctx as unknown as SKRSContext2D;
}

/** Values below the end of a log axis, such as the zero that bars start from, lie at its end. */
function axesOf({ scales }: Chart<'scatter'>): Axes {
  const of = (name: 'x' | 'y') => {
    const scale = scales[name];
    return (value: number) => scale.getPixelForValue(scale.type === 'logarithmic' ? Math.max(value, scale.min) : value);
  };
  return { x: of('x'), y: of('y') };
}

function drawBars(context: SKRSContext2D, { bars, look }: BarSeries, axes: Axes, { color }: SeriesStyle): void {
  for (const bar of bars) {
    if (bar.to === null || bar.to === (bar.from ?? 0)) continue;
    const [left, right] = [axes.x(bar.left), axes.x(bar.right)];
    const [from, to] = [axes.y(bar.from ?? 0), axes.y(bar.to)];
    const box = { left, top: Math.min(from, to), width: right - left, height: Math.abs(from - to) };
    drawBox(context, box, color, look);
  }
}

function drawBand(context: SKRSContext2D, series: FigureSeries, axes: Axes, { color }: SeriesStyle): void {
  if (series.kind !== 'line') return;
  const points = (series.band ?? series.points).map(({ x, low, high }) => ({ x, low, high }));
  for (const run of runs(points, ({ low, high }) => low != null && high != null)) {
    const edge = (end: 'low' | 'high') => {
      const xs = run.map(({ x }) => axes.x(x));
      const ys = run.map((point) => axes.y(point[end] as number));
      return simplifyLine(xs, ys, TOLERANCE).map((i) => [xs[i], ys[i]] as const);
    };
    context.beginPath();
    for (const [x, y] of [...edge('low'), ...edge('high').reverse()]) context.lineTo(x, y);
    context.closePath();
    context.fillStyle = translucent(color, BAND_OPACITY);
    context.fill();
  }
}

function drawWhiskers(context: SKRSContext2D, series: FigureSeries, axes: Axes, { color }: SeriesStyle): void {
  if (series.kind !== 'scatter' && series.kind !== 'bars') return;
  const ends =
    series.kind === 'scatter'
      ? series.points.map(({ x, low, high }) => ({ x: axes.x(x), low, high }))
      : series.bars.map((bar) => ({ x: middle(bar, axes), low: bar.low, high: bar.high }));
  context.strokeStyle = color;
  context.lineWidth = WHISKER.width;
  for (const { x, low, high } of ends) {
    if (low == null || high == null) continue;
    const [bottom, top] = [axes.y(low), axes.y(high)];
    context.beginPath();
    context.moveTo(x, bottom);
    context.lineTo(x, top);
    for (const y of [bottom, top]) {
      context.moveTo(x - WHISKER.cap, y);
      context.lineTo(x + WHISKER.cap, y);
    }
    context.stroke();
  }
}

function middle({ left, right }: Bar, axes: Axes): number {
  return (axes.x(left) + axes.x(right)) / 2;
}

function drawNote(context: SKRSContext2D, { note }: FigurePanel, { chartArea }: Chart<'scatter'>): void {
  if (!note) return;
  const [vertical, horizontal] = note.corner.split('-');
  const inset = 4;
  context.save();
  context.font = canvasFont(FONT_SIZE.note);
  context.textAlign = horizontal === 'left' ? 'left' : 'right';
  context.textBaseline = vertical === 'top' ? 'top' : 'bottom';
  const x = horizontal === 'left' ? chartArea.left + inset : chartArea.right - inset;
  const y = vertical === 'top' ? chartArea.top + inset : chartArea.bottom - inset;
  // A white ground keeps the text readable where lines pass under it.
  const width = context.measureText(note.text).width;
  context.fillStyle = translucent('#FFFFFF', 0.8);
  context.fillRect(
    horizontal === 'left' ? x - 1 : x - width - 1,
    vertical === 'top' ? y - 1 : y - FONT_SIZE.note - 1,
    width + 2,
    FONT_SIZE.note + 2,
  );
  context.fillStyle = TEXT_COLOR;
  context.fillText(note.text, x, y);
  context.restore();
}
