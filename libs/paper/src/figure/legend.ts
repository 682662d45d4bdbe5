import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { drawPoint } from 'chart.js/helpers';
import { drawBox } from './draw-box.js';
import {
  BAND_OPACITY,
  FONT_SIZE,
  type LegendEntry,
  LINE_WIDTH,
  MARKER_RADIUS,
  TEXT_COLOR,
  translucent,
} from './figure-style.js';
import { canvasFont } from './font.js';

/** Points. */
const SWATCH = { width: 18, height: 6 } as const;
const TEXT_GAP = 4;
const ENTRY_GAP = 12;
const ROW_HEIGHT = 11;

/** The rows of a legend of that width: each entry with its place. */
export interface LegendLayout {
  items: { entry: LegendEntry; x: number; y: number }[];
  height: number;
}

/** Puts the entries into centred rows. An entry that is wider than the figure gets a row of its own. */
export function layOutLegend(entries: readonly LegendEntry[], width: number): LegendLayout {
  const context = createCanvas(1, 1).getContext('2d');
  context.lang = 'en';
  context.font = canvasFont(FONT_SIZE.text);
  const sized = entries.map((entry) => ({
    entry,
    size: swatchWidth(entry) + TEXT_GAP + context.measureText(entry.label).width,
  }));
  const rows: (typeof sized)[] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const item of sized) {
    used += ENTRY_GAP + item.size;
    if (used > width) {
      rows.push([]);
      used = item.size;
    }
    rows[rows.length - 1].push(item);
  }
  const items = rows.flatMap((row, r) => {
    let x = (width - row.reduce((sum, { size }) => sum + size + ENTRY_GAP, -ENTRY_GAP)) / 2;
    return row.map(({ entry, size }) => {
      const item = { entry, x, y: (r + 0.5) * ROW_HEIGHT };
      x += size + ENTRY_GAP;
      return item;
    });
  });
  return { items, height: rows.length * ROW_HEIGHT };
}

/** Single points need less room than lines. */
function swatchWidth({ kinds }: LegendEntry): number {
  return kinds.size === 1 && kinds.has('scatter') ? SWATCH.height : SWATCH.width;
}

/** Draws the legend with its upper left corner at the origin. Every entry shows all that its label stands for. */
export function drawLegend(context: SKRSContext2D, { items }: LegendLayout): void {
  for (const { entry, x, y } of items) {
    const { kinds, style, label } = entry;
    const width = swatchWidth(entry);
    const swatch = { left: x, top: y - SWATCH.height / 2, width, height: SWATCH.height };
    if (kinds.has('bars')) drawBox(context, swatch, style.color);
    if (kinds.has('hatched')) drawBox(context, swatch, style.color, 'hatched');
    if (kinds.has('band')) {
      context.fillStyle = translucent(style.color, BAND_OPACITY);
      context.fillRect(swatch.left, swatch.top, swatch.width, swatch.height);
    }
    context.strokeStyle = style.color;
    if (kinds.has('line') || kinds.has('reference')) {
      context.lineWidth = kinds.has('reference') ? 0.8 : LINE_WIDTH;
      context.setLineDash(style.dash);
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + width, y);
      context.stroke();
      context.setLineDash([]);
    }
    if (kinds.has('line') || kinds.has('scatter')) {
      const { shape, look } = style.marker;
      const borderWidth = look === 'filled' ? 0 : LINE_WIDTH;
      const point = { pointStyle: shape, radius: MARKER_RADIUS, rotation: 0, borderWidth };
      context.lineWidth = borderWidth;
      context.fillStyle = look === 'filled' ? style.color : 'white';
      drawPoint(context as never, point as never, x + width / 2, y);
    }
    context.font = canvasFont(FONT_SIZE.text);
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    context.fillStyle = TEXT_COLOR;
    context.fillText(label, x + width + TEXT_GAP, y);
  }
}
