import { describe, expect, it } from 'vitest';
import type { FigurePoint, FigureSpec, LineSeries } from './figure-spec.js';
import { FIGURE_FORMATS, renderFigure } from './render-figure.js';
import { boxOfColor, meanDifference, pixelsOf } from './testing/pixels.js';

const BLUE = [0, 114, 178] as const;
const VERMILION = [213, 94, 0] as const;

const spec: FigureSpec = {
  rows: [
    {
      panels: ['accuracy', 'AUC'].map((title, panel) => ({
        title,
        x: { title: 'step' },
        y: { title, min: 0, max: 1 },
        series: [
          {
            kind: 'line',
            label: 'GRPO',
            points: [0, 1, 2].map((x) => ({ x, y: 0.2 + 0.2 * x, low: 0.1 + 0.2 * x, high: 0.3 + 0.2 * x })),
          },
          { kind: 'line', label: 'CAPO', points: [0, 1, 2].map((x) => ({ x, y: 0.9 - 0.1 * x * panel })) },
          { kind: 'reference', label: 'chance', points: [0, 2].map((x) => ({ x, y: 0.5 })) },
        ],
      })),
    },
  ],
};

const provenance = {
  command: "capo plot roc 'a file.jsonl'",
  inputs: { 'a file.jsonl': 'ab12' },
  parameters: { seed: 1, τ: '<0.6> & "é"' },
};
const render = (figure: FigureSpec, format: (typeof FIGURE_FORMATS)[number]) =>
  renderFigure(figure, format, provenance);

/** The text chunks of a PNG by keyword, read as the format says: length, type, data, checksum. */
function pngChunks(png: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.subarray(at + 4, at + 8).toString('latin1');
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    const end = data.indexOf(0);
    if (type === 'tEXt') chunks.set(data.subarray(0, end).toString('latin1'), data.subarray(end + 1));
    else chunks.set(type, data);
  }
  return chunks;
}

/** A point of a copied specification, to be changed. */
function pointOf(figure: FigureSpec, panel: number, series: number, point: number): FigurePoint {
  return (figure.rows[0].panels[panel].series[series] as LineSeries).points[point];
}

describe('renderFigure', () => {
  it.each(FIGURE_FORMATS)('gives the same %s bytes twice, and other bytes for other data', (format) => {
    const first = render(spec, format);
    expect(render(spec, format).equals(first)).toBe(true);
    const moved = structuredClone(spec);
    pointOf(moved, 0, 1, 0).y = 0.8;
    expect(render(moved, format).equals(first)).toBe(false);
  });

  it('says in each format where the figure comes from, and no time', () => {
    const svg = render(spec, 'svg').toString();
    const inSvg = svg.match(/<metadata>(.*)<\/metadata>/)?.[1].replaceAll('&quot;', '"') as string;
    const inPng = pngChunks(render(spec, 'png')).get('Comment')?.toString('latin1') as string;
    const pdf = render(spec, 'pdf').toString('latin1');
    expect(JSON.parse(inPng)).toMatchObject({ creator: 'capo', ...provenance });
    expect(JSON.parse(inPng).figure).toMatch(/^[0-9a-f]{16}$/);
    expect(JSON.parse(inSvg.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'))).toEqual(
      JSON.parse(inPng),
    );
    expect(pdf).toContain('/Keywords');
    expect(pdf).toContain(JSON.parse(inPng).figure);
    expect(pdf).not.toContain('/CreationDate');
    expect(pngChunks(render(spec, 'png')).has('tIME')).toBe(false);
  });

  it('makes a PNG of 300 dots an inch, at the width of the page', () => {
    const chunks = pngChunks(render(spec, 'png'));
    // 300 dots an inch are 300 / 0.0254 = 11,811 a metre.
    expect(chunks.get('pHYs')?.readUInt32BE(0)).toBe(11811);
    expect(chunks.get('IHDR')?.readUInt32BE(0)).toBe(6.75 * 300);
  });

  it('draws text as paths in SVG, embeds the font in PDF, and writes no NaN', () => {
    const svg = render(spec, 'svg').toString();
    expect(svg).not.toContain('<text');
    expect(svg).not.toContain('NaN');
    expect(svg).toContain('<desc>accuracy: accuracy against step (GRPO, CAPO, chance); AUC: ');
    const pdf = render(spec, 'pdf').toString('latin1');
    expect(pdf).toMatch(/\/FontFile2/);
    expect(pdf).toMatch(/\/BaseFont \/[A-Z]{6}\+Arimo/);
    expect(pdf).not.toContain('/Type3');
  });

  it('gives a label one look in all panels and in the legend', () => {
    const svg = render(spec, 'svg').toString();
    // The blue line: once in each of two panels, once in the legend. The vermilion one is dashed, so it is an area.
    expect(svg.match(/stroke="#0072B2"/gi)?.length).toBe(3);
    expect(svg.match(/fill="#0072B2" fill-opacity="0\.18/gi)?.length).toBe(3);
  });

  it('draws the same picture in SVG as in PNG', async () => {
    const png = await pixelsOf(render(spec, 'png'));
    const svg = await pixelsOf(render(spec, 'svg'), png);
    // Edges are smoothed differently; a missing curve, label or band would differ by more.
    expect(meanDifference(png, svg)).toBeLessThan(1.5);
    const empty = await pixelsOf(
      render({ rows: [{ panels: spec.rows[0].panels.map((p) => ({ ...p, series: [] })) }] }, 'png'),
      png,
    );
    expect(meanDifference(png, empty)).toBeGreaterThan(1.5);
  });

  it('draws bars where the data say', async () => {
    const bars: FigureSpec = {
      rows: [
        {
          panels: [
            {
              x: { title: 'x', min: 0, max: 1 },
              y: { title: 'y', min: 0, max: 1 },
              series: [
                { kind: 'bars', label: '', style: 0, bars: [{ left: 0, right: 0.25, to: 1 }] },
                { kind: 'bars', label: 'b', style: 1, bars: [{ left: 0.25, right: 1, to: 0.4 }] },
              ],
            },
          ],
        },
      ],
    };
    const pixels = await pixelsOf(render(bars, 'png'));
    const above = { ...pixels, height: Math.round(0.8 * pixels.height) };
    // At 55 % opacity on white: 255 - 0.55 (255 - channel).
    const mixed = (color: readonly number[]) => color.map((c) => 255 - 0.55 * (255 - c)) as [number, number, number];
    const blue = boxOfColor(above, mixed(BLUE), 6);
    const vermilion = boxOfColor(above, mixed(VERMILION), 6);
    expect((vermilion?.width as number) / (blue?.width as number)).toBeCloseTo(3, 1);
    expect((vermilion?.height as number) / (blue?.height as number)).toBeCloseTo(0.4, 2);
    expect(Math.abs((vermilion?.bottom as number) - (blue?.bottom as number))).toBeLessThanOrEqual(1);
  });

  it('cuts lines off at the ends of an axis, and marks at the ends stay whole', async () => {
    const panel = (points: { x: number; y: number }[]): FigureSpec => ({
      rows: [
        {
          panels: [
            {
              x: { title: 'x', min: 0, max: 1 },
              y: { title: 'y', min: 0, max: 1 },
              series: [{ kind: 'line', label: '', points, markers: points.length === 1 }],
            },
          ],
        },
      ],
    });
    const beyond = boxOfColor(
      await pixelsOf(
        render(
          panel([
            { x: 0.5, y: -1 },
            { x: 0.5, y: 3 },
          ]),
          'png',
        ),
      ),
      BLUE,
    );
    const inside = boxOfColor(
      await pixelsOf(
        render(
          panel([
            { x: 0.5, y: 0 },
            { x: 0.5, y: 1 },
          ]),
          'png',
        ),
      ),
      BLUE,
    );
    expect(Math.abs((beyond?.height as number) - (inside?.height as number))).toBeLessThanOrEqual(3);
    const middle = boxOfColor(await pixelsOf(render(panel([{ x: 0.5, y: 0.5 }]), 'png')), BLUE);
    const corner = boxOfColor(await pixelsOf(render(panel([{ x: 1, y: 1 }]), 'png')), BLUE);
    expect(Math.abs((middle?.width as number) - (corner?.width as number))).toBeLessThanOrEqual(1);
    expect(Math.abs((middle?.height as number) - (corner?.height as number))).toBeLessThanOrEqual(1);
  });

  it('keeps a long curve to a small file', () => {
    const n = 100_000;
    const points = Array.from({ length: n }, (_, i) => ({ x: i / n, y: Math.sqrt(i / n) }));
    const axes = { x: { title: 'x' }, y: { title: 'y' } };
    const figure: FigureSpec = { rows: [{ panels: [{ ...axes, series: [{ kind: 'line', label: '', points }] }] }] };
    expect(render(figure, 'svg').length).toBeLessThan(40_000);
  });

  it('names the panel, the series and the point that cannot be drawn', () => {
    const broken = (change: (figure: FigureSpec) => void): FigureSpec => {
      const figure = structuredClone(spec);
      change(figure);
      return figure;
    };
    const nan = broken((figure) => {
      pointOf(figure, 1, 0, 2).y = Number.NaN;
    });
    expect(() => render(nan, 'png')).toThrow('Panel 1, series "GRPO", point 2, y: NaN');
    const log = broken((figure) => {
      figure.rows[0].panels[0].x.scale = 'log';
    });
    expect(() => render(log, 'svg')).toThrow('Panel 0, series "GRPO", point 0, x: 0 has no place on a log scale');
    const turned = broken((figure) => {
      Object.assign(figure.rows[0].panels[0].y, { min: 1, max: 0 });
    });
    expect(() => render(turned, 'svg')).toThrow('Panel 0, y axis: it goes from 1 to 0');
    expect(() => render({ rows: [] }, 'svg')).toThrow('at least one panel');
    expect(() => render({ ...spec, width: 0 }, 'svg')).toThrow('0 inches');
  });

  it('draws panels without data, with one point, with gaps and with equal values', () => {
    const axes = { x: { title: 'x' }, y: { title: 'y' } };
    const panels = [
      [],
      [{ x: 3, y: 5 }],
      [
        { x: 0, y: 1 },
        { x: 1, y: null },
        { x: 2, y: 1 },
      ],
      [{ x: 0, y: null }],
    ].map((points) => ({ ...axes, series: [{ kind: 'line' as const, label: 'a', points }] }));
    for (const panel of [{ ...axes, series: [] }, ...panels]) {
      const svg = render({ rows: [{ panels: [panel] }] }, 'svg').toString();
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }
  });
});
