import { createRequire } from 'node:module';
import { createCanvas, GlobalFonts, PDFDocument, type SKRSContext2D, SvgExportFlag } from '@napi-rs/canvas';
import { Chart, registerables } from 'chart.js';
import { chartConfiguration, FONT_FAMILY, legendLabels } from './chart.js';
import type { FigureSpec } from './figure-spec.js';
import { lineStyle } from './palette.js';

/** The formats of a figure. */
export const FIGURE_FORMATS = ['svg', 'pdf', 'png'] as const;
export type FigureFormat = (typeof FIGURE_FORMATS)[number];

/** Points; a panel is about half a page of two columns wide, so that its 7 pt ticks stay readable in print. */
const PANEL_WIDTH = 240;
const PANEL_HEIGHT = 170;
const LEGEND_LINE = 14;
const LEGEND_PADDING = 4;
/** 300 dots an inch, at 72 points an inch. */
const PNG_SCALE = 300 / 72;

let ready = false;

function prepare(): void {
  if (ready) return;
  Chart.register(...registerables);
  const font = createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');
  GlobalFonts.registerFromPath(font, FONT_FAMILY);
  ready = true;
}

/**
 * Draws a figure. The three formats come from the same drawing by chart.js; text in SVG becomes paths, so that the
 * figure looks the same everywhere. The same specification gives the same bytes.
 */
export function renderFigure(spec: FigureSpec, format: FigureFormat): Buffer {
  prepare();
  const layout = layOut(spec);
  const { width, height } = layout;
  if (format === 'pdf') {
    const document = new PDFDocument();
    draw(spec, document.beginPage(width, height) as unknown as SKRSContext2D, 1, layout);
    document.endPage();
    return document.close();
  }
  if (format === 'svg') {
    const canvas = createCanvas(width, height, SvgExportFlag.ConvertTextToPaths);
    draw(spec, canvas.getContext('2d'), 1, layout);
    return Buffer.from(numberIds(canvas.getContent().toString()));
  }
  const canvas = createCanvas(Math.round(width * PNG_SCALE), Math.round(height * PNG_SCALE));
  draw(spec, canvas.getContext('2d'), PNG_SCALE, layout);
  return canvas.toBuffer('image/png');
}

interface Layout {
  width: number;
  height: number;
  columns: number;
  /** The labels of each line of the legend. */
  legend: string[][];
  legendHeight: number;
}

/** Sizes in points; the legend takes as many lines as its labels need. */
function layOut(spec: FigureSpec): Layout {
  const columns = Math.max(1, Math.min(spec.columns ?? spec.panels.length, spec.panels.length));
  const width = columns * PANEL_WIDTH;
  const legend: string[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const label of legendLabels(spec.panels)) {
    used += legendWidth(label);
    if (used > width - LEGEND_GAP) {
      legend.push([]);
      used = LEGEND_GAP + legendWidth(label);
    }
    legend[legend.length - 1].push(label);
  }
  const legendHeight = legend.length * LEGEND_LINE + LEGEND_PADDING;
  return {
    width,
    height: legendHeight + Math.ceil(spec.panels.length / columns) * PANEL_HEIGHT,
    columns,
    legend,
    legendHeight,
  };
}

/** The drawing library counts the ids of clips over the whole process; numbered afresh, equal figures are equal. */
function numberIds(svg: string): string {
  const ids = [...new Set([...svg.matchAll(/id="([^"]+)"/g)].map(([, id]) => id))];
  return ids.reduce(
    (text, id, index) => text.replaceAll(`"${id}"`, `"c${index}"`).replaceAll(`#${id})`, `#c${index})`),
    svg,
  );
}

function draw(spec: FigureSpec, context: SKRSContext2D, scale: number, layout: Layout): void {
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.fillStyle = 'white';
  context.fillRect(0, 0, layout.width, layout.height);
  drawLegend(context, layout);
  const labels = layout.legend.flat();
  spec.panels.forEach((panel, index) => {
    const left = (index % layout.columns) * PANEL_WIDTH;
    const top = layout.legendHeight + Math.floor(index / layout.columns) * PANEL_HEIGHT;
    const canvas = panelCanvas(context, scale, left, top);
    const chart = new Chart(canvas as never, chartConfiguration(panel, labels) as never);
    chart.destroy();
  });
}

/**
 * A canvas as chart.js expects one, for a part of a larger drawing: it knows only its own size, and what chart.js sets
 * as the transform is taken relative to the part's corner.
 */
function panelCanvas(context: SKRSContext2D, scale: number, left: number, top: number): object {
  const canvas = { width: PANEL_WIDTH, height: PANEL_HEIGHT, style: {}, getContext: () => part };
  const place = () => context.setTransform(scale, 0, 0, scale, left * scale, top * scale);
  const part: SKRSContext2D = new Proxy(context, {
    get(target, key) {
      if (key === 'canvas') return canvas;
      if (key === 'setTransform' || key === 'resetTransform') return place;
      // The page is white already, and erasing would take the other panels with it.
      if (key === 'clearRect') return () => {};
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
  place();
  return canvas;
}

/** Length of the line that stands for a label, and the room between labels. */
const LEGEND_DASH = 18;
const LEGEND_GAP = 12;
const LEGEND_FONT = `8px "${FONT_FAMILY}"`;

/** The width of a label with its line and the gap after it. */
function legendWidth(label: string): number {
  const context = createCanvas(1, 1).getContext('2d');
  context.font = LEGEND_FONT;
  return LEGEND_DASH + 4 + context.measureText(label).width + LEGEND_GAP;
}

function drawLegend(context: SKRSContext2D, { legend, width }: Layout): void {
  context.font = LEGEND_FONT;
  context.textBaseline = 'middle';
  let index = 0;
  legend.forEach((line, row) => {
    const y = LEGEND_PADDING + (row + 0.5) * LEGEND_LINE;
    let x = (width - line.reduce((sum, label) => sum + legendWidth(label), -LEGEND_GAP)) / 2;
    for (const label of line) {
      const style = lineStyle(index++);
      context.strokeStyle = style.color;
      context.lineWidth = 1.3;
      context.setLineDash(style.dash);
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + LEGEND_DASH, y);
      context.stroke();
      context.setLineDash([]);
      context.fillStyle = '#222222';
      context.fillText(label, x + LEGEND_DASH + 4, y);
      x += legendWidth(label);
    }
  });
}
