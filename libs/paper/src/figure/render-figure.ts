import { createCanvas, PDFDocument, type SKRSContext2D, SvgExportFlag } from '@napi-rs/canvas';
import { checkFigure } from './check-figure.js';
import { figureDrawing } from './figure-drawing.js';
import type { FigureSpec } from './figure-spec.js';
import { type FigureProvenance, figureDescription, provenanceText } from './provenance.js';
import { finishSvg } from './svg-document.js';

/** The formats of a figure. */
export const FIGURE_FORMATS = ['svg', 'pdf', 'png'] as const;
export type FigureFormat = (typeof FIGURE_FORMATS)[number];

const DOTS_PER_INCH = 300;
const POINTS_PER_INCH = 72;

/**
 * Draws a figure. The three formats are the same drawing by chart.js:
 *
 * - `png`: 300 dots an inch, and says so.
 * - `svg`: text as outlines, so that it looks the same without the font; title and description for screen readers.
 * - `pdf`: one page of the figure's size, with the used part of the font embedded as TrueType, so that text can be
 *   searched.
 *
 * Each file holds its provenance as JSON: PNG in the text chunk `Comment`, SVG in `<metadata>`, PDF in `Keywords`. The
 * same specification and provenance give the same bytes.
 *
 * @throws InputError for what cannot be drawn, such as NaN, naming panel, series and point
 */
export function renderFigure(spec: FigureSpec, format: FigureFormat, provenance: FigureProvenance): Buffer {
  checkFigure(spec);
  const drawing = figureDrawing(spec);
  const { width, height } = drawing;
  const title = spec.title ?? '';
  const description = figureDescription(spec);
  const origin = provenanceText(spec, provenance);
  if (format === 'pdf') {
    const document = new PDFDocument({ title, subject: description, keywords: origin, creator: 'capo' });
    drawing.draw(document.beginPage(width, height) as SKRSContext2D);
    document.endPage();
    return document.close();
  }
  if (format === 'svg') {
    const canvas = createCanvas(width, height, SvgExportFlag.ConvertTextToPaths);
    drawing.draw(canvas.getContext('2d'));
    return Buffer.from(finishSvg(canvas.getContent().toString(), { width, height, title, description, origin }));
  }
  const scale = DOTS_PER_INCH / POINTS_PER_INCH;
  const canvas = createCanvas(Math.round(width * scale), Math.round(height * scale));
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  drawing.draw(context);
  const metadata = { resolution: DOTS_PER_INCH, title, description, software: 'capo', comment: origin };
  return canvas.encodeSync('png', metadata);
}
