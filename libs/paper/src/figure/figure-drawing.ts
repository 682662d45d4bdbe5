import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { Chart, LinearScale, LineElement, LogarithmicScale, PointElement, ScatterController, Title } from 'chart.js';
import { chartConfig, type PanelFrame } from './chart-config.js';
import type { Box } from './draw-box.js';
import { type FigurePanel, type FigureSpec, panelsOf } from './figure-spec.js';
import { FONT_SIZE, type LegendEntry, legendEntries, TEXT_COLOR } from './figure-style.js';
import { canvasFont, registerFont } from './font.js';
import { drawLegend, layOutLegend } from './legend.js';

Chart.register(ScatterController, LineElement, PointElement, LinearScale, LogarithmicScale, Title);

const POINTS_PER_INCH = 72;
/** Dots per point at 300 dots an inch; chart.js puts hairlines on whole dots of that size. */
const PIXEL_RATIO = 300 / POINTS_PER_INCH;
/** Inches: a column and the page of a two-column paper. */
const COLUMN_WIDTH = 3.3;
const PAGE_WIDTH = 6.75;
/** Points between panels, and above and below the legend. */
const PANEL_GAP = 8;
const LEGEND_GAP = 4;
const MARGIN = 2;

/** A figure that is laid out: its size in points, and how to draw it on any canvas whose unit is the point. */
export interface FigureDrawing {
  width: number;
  height: number;
  draw(context: SKRSContext2D): void;
}

/** A panel's place on the page, in points, and in the grid. */
interface Place extends Box {
  row: number;
  column: number;
}

/**
 * Lays a figure out and records its panels. chart.js draws each panel once; the record is then replayed on a raster, an
 * SVG or a PDF canvas, so that the three formats are the same drawing.
 */
export function figureDrawing(spec: FigureSpec): FigureDrawing {
  registerFont();
  const panels = panelsOf(spec);
  const columns = Math.max(...spec.rows.map((row) => row.panels.length));
  const width = Math.round((spec.width ?? (columns > 1 ? PAGE_WIDTH : COLUMN_WIDTH)) * POINTS_PER_INCH);
  const entries = legendEntries(panels);
  const legend = layOutLegend(entries.length > 1 || entries[0]?.label ? entries : [], width - 2 * MARGIN);
  const titleHeight = spec.title ? 2 * FONT_SIZE.title : MARGIN;
  const places = panelPlaces(spec, columns, width, titleHeight);
  const bottom = Math.max(...places.map(({ top, height }) => top + height));
  const canvases = recordPanels(panels, places, entries);
  return {
    width,
    height: Math.ceil(bottom + (legend.height > 0 ? legend.height + 2 * LEGEND_GAP : MARGIN)),
    draw(context) {
      context.fillStyle = 'white';
      context.fillRect(0, 0, this.width, this.height);
      if (spec.title) drawTitle(context, spec.title, width);
      canvases.forEach((canvas, i) => {
        const { left, top, width: w, height: h } = places[i];
        context.drawCanvas(canvas, 0, 0, canvas.width, canvas.height, left, top, w, h);
      });
      context.save();
      context.translate(MARGIN, bottom + LEGEND_GAP);
      drawLegend(context, legend);
      context.restore();
    },
  };
}

function drawTitle(context: SKRSContext2D, title: string, width: number): void {
  context.lang = 'en';
  context.font = canvasFont(FONT_SIZE.title, 'bold');
  context.fillStyle = TEXT_COLOR;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(title, width / 2, FONT_SIZE.title);
}

function panelPlaces({ rows }: FigureSpec, columns: number, width: number, top: number): Place[] {
  const panelWidth = (width - 2 * MARGIN - (columns - 1) * PANEL_GAP) / columns;
  let y = top;
  return rows.flatMap(({ panels, height }, row) => {
    const rowHeight = height ? height * POINTS_PER_INCH : 18 + 0.68 * panelWidth;
    const places = panels.map((_, column) => {
      const left = MARGIN + column * (panelWidth + PANEL_GAP);
      return { row, column, left, top: y, width: panelWidth, height: rowHeight };
    });
    y += rowHeight + PANEL_GAP;
    return places;
  });
}

/** Draws every panel twice: first to see how much room its texts need, then with the axes of rows and columns aligned. */
function recordPanels(
  panels: readonly FigurePanel[],
  places: readonly Place[],
  entries: readonly LegendEntry[],
): Canvas[] {
  const needs = panels.map((panel, i) => {
    const chart = makeChart(panel, places[i], entries);
    const { chartArea, scales, width, height } = chart;
    const need = {
      yAxisWidth: scales.y.width,
      xAxisHeight: scales.x.height,
      left: chartArea.left - scales.y.width,
      right: width - chartArea.right,
      top: chartArea.top - titleHeightOf(chart),
      bottom: height - chartArea.bottom - scales.x.height,
    };
    chart.destroy();
    return need;
  });
  return panels.map((panel, i) => {
    const inRow = needs.filter((_, k) => places[k].row === places[i].row);
    const inColumn = needs.filter((_, k) => places[k].column === places[i].column);
    const frame: PanelFrame = {
      yAxisWidth: Math.max(...inColumn.map((need) => need.yAxisWidth)),
      xAxisHeight: Math.max(...inRow.map((need) => need.xAxisHeight)),
      padding: {
        left: Math.max(...inColumn.map((need) => need.left)),
        right: Math.max(...inColumn.map((need) => need.right)),
        top: Math.max(...inRow.map((need) => need.top)),
        bottom: Math.max(...inRow.map((need) => need.bottom)),
      },
    };
    const chart = makeChart(panel, places[i], entries, frame);
    const canvas = chart.canvas as unknown as Canvas;
    // A chart erases the canvas that it holds when it is destroyed, and is kept for ever when it is not.
    Object.assign(chart, { canvas: null });
    chart.destroy();
    return canvas;
  });
}

/** Not in chart.js' types: the box that its title plugin adds. */
function titleHeightOf(chart: Chart<'scatter'>): number {
  return (chart as unknown as { titleBlock?: { height: number } }).titleBlock?.height ?? 0;
}

function makeChart(panel: FigurePanel, { width, height }: Box, entries: readonly LegendEntry[], frame?: PanelFrame) {
  const canvas = createCanvas(width, height);
  const config = chartConfig(panel, { width, height }, entries, PIXEL_RATIO, frame);
  return new Chart<'scatter'>(canvas as never, config);
}
