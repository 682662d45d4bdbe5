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
const LEGEND_HEIGHT = 18;
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
  const columns = Math.max(1, Math.min(spec.columns ?? spec.panels.length, spec.panels.length));
  const width = columns * PANEL_WIDTH;
  const height = LEGEND_HEIGHT + Math.ceil(spec.panels.length / columns) * PANEL_HEIGHT;
  if (format === 'pdf') {
    const document = new PDFDocument();
    draw(spec, document.beginPage(width, height) as unknown as SKRSContext2D, 1, columns);
    document.endPage();
    return document.close();
  }
  if (format === 'svg') {
    const canvas = createCanvas(width, height, SvgExportFlag.ConvertTextToPaths);
    draw(spec, canvas.getContext('2d'), 1, columns);
    return Buffer.from(numberIds(canvas.getContent().toString()));
  }
  const canvas = createCanvas(Math.round(width * PNG_SCALE), Math.round(height * PNG_SCALE));
  draw(spec, canvas.getContext('2d'), PNG_SCALE, columns);
  return canvas.toBuffer('image/png');
}

/** The drawing library counts the ids of clips over the whole process; numbered afresh, equal figures are equal. */
function numberIds(svg: string): string {
  const ids = [...new Set([...svg.matchAll(/id="([^"]+)"/g)].map(([, id]) => id))];
  return ids.reduce(
    (text, id, index) => text.replaceAll(`"${id}"`, `"c${index}"`).replaceAll(`#${id})`, `#c${index})`),
    svg,
  );
}

function draw(spec: FigureSpec, context: SKRSContext2D, scale: number, columns: number): void {
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.fillStyle = 'white';
  context.fillRect(0, 0, columns * PANEL_WIDTH, LEGEND_HEIGHT + Math.ceil(spec.panels.length / columns) * PANEL_HEIGHT);
  const labels = legendLabels(spec.panels);
  drawLegend(context, labels, columns * PANEL_WIDTH);
  spec.panels.forEach((panel, index) => {
    const left = (index % columns) * PANEL_WIDTH;
    const top = LEGEND_HEIGHT + Math.floor(index / columns) * PANEL_HEIGHT;
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

function drawLegend(context: SKRSContext2D, labels: readonly string[], width: number): void {
  context.font = `8px "${FONT_FAMILY}"`;
  context.textBaseline = 'middle';
  const line = 18;
  const gap = 12;
  const widths = labels.map((label) => line + 4 + context.measureText(label).width);
  let x = (width - widths.reduce((sum, item) => sum + item, 0) - gap * (labels.length - 1)) / 2;
  labels.forEach((label, index) => {
    const style = lineStyle(index);
    context.strokeStyle = style.color;
    context.lineWidth = 1.3;
    context.setLineDash(style.dash);
    context.beginPath();
    context.moveTo(x, LEGEND_HEIGHT / 2);
    context.lineTo(x + line, LEGEND_HEIGHT / 2);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = '#222222';
    context.fillText(label, x + line + 4, LEGEND_HEIGHT / 2);
    x += widths[index] + gap;
  });
}
