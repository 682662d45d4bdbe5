import { describe, expect, it } from 'vitest';
import type { FigureSpec } from './figure-spec.js';
import { FIGURE_FORMATS, renderFigure } from './render-figure.js';

const spec: FigureSpec = {
  panels: ['accuracy', 'AUC'].map((yTitle, panel) => ({
    title: yTitle,
    xTitle: 'step',
    yTitle,
    yRange: [0, 1],
    series: [
      {
        label: 'GRPO',
        points: [0, 1, 2].map((x) => ({ x, y: 0.2 + 0.2 * x, low: 0.1 + 0.2 * x, high: 0.3 + 0.2 * x })),
      },
      { label: 'CAPO', points: [0, 1, 2].map((x) => ({ x, y: 0.9 - 0.1 * x * panel })) },
      { label: 'chance', points: [0, 2].map((x) => ({ x, y: 0.5 })), reference: true },
    ],
  })),
};

describe('renderFigure', () => {
  it.each(FIGURE_FORMATS)('gives the same %s bytes twice', (format) => {
    const first = renderFigure(spec, format);
    expect(renderFigure(spec, format).equals(first)).toBe(true);
    expect(first.length).toBeGreaterThan(1000);
  });

  it('has the signature of each format', () => {
    expect(renderFigure(spec, 'png').subarray(1, 4).toString()).toBe('PNG');
    expect(renderFigure(spec, 'pdf').subarray(0, 5).toString()).toBe('%PDF-');
    expect(renderFigure(spec, 'svg').toString()).toContain('<svg');
  });

  it('draws the lines of both panels in the same colours, text as paths, and no NaN', () => {
    const svg = renderFigure(spec, 'svg').toString();
    // A line in each of two panels and one in the legend.
    expect(svg.match(/stroke="#0072B2"/gi)?.length).toBeGreaterThanOrEqual(3);
    expect(svg.match(/stroke="#D55E00"/gi)?.length).toBeGreaterThanOrEqual(3);
    expect(svg).not.toContain('<text');
    expect(svg).not.toContain('NaN');
  });

  it('changes when a point changes', () => {
    const panel = {
      ...spec.panels[0],
      series: [
        {
          label: 'GRPO',
          points: [
            { x: 0, y: 0.21 },
            { x: 2, y: 0.4 },
          ],
        },
      ],
    };
    const other = renderFigure({ panels: [panel, spec.panels[1]] }, 'svg');
    expect(other.equals(renderFigure(spec, 'svg'))).toBe(false);
  });
});
