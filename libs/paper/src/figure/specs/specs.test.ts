import { describe, expect, it } from 'vitest';
import { panelsOf } from '../figure-spec.js';
import { renderFigure } from '../render-figure.js';
import { lineOf } from './curve.js';
import { precisionCoverageFigure } from './precision-coverage.js';
import { reliabilityDiagram } from './reliability-diagram.js';
import { rocFigure } from './roc-curve.js';
import { scalingFigure } from './scaling-curve.js';
import { trainingCurves } from './training-curves.js';

const drawable = (spec: Parameters<typeof renderFigure>[0]) =>
  expect(renderFigure(spec, 'svg', { command: 'test' }).toString()).not.toMatch(/NaN|Infinity|undefined/);

describe('lineOf', () => {
  it('takes columns, typed or not, with gaps', () => {
    const line = lineOf({ label: 'a', x: new Float64Array([1, 2]), y: [0.5, null], low: [0.4, null] });
    expect(line).toEqual({
      kind: 'line',
      label: 'a',
      points: [
        { x: 1, y: 0.5, low: 0.4, high: null },
        { x: 2, y: null, low: null, high: null },
      ],
    });
  });

  it('refuses columns of different lengths', () => {
    expect(() => lineOf({ label: 'a', x: [1, 2], y: [1] })).toThrow('"a": 2 x and 1 values in y');
    expect(() => lineOf({ label: 'a', x: [1], y: [1], high: [] })).toThrow('0 values in high');
  });
});

describe('trainingCurves', () => {
  it('has a panel a quantity and ends at the last step', () => {
    const curves = [
      { label: 'GRPO', x: [0, 40, 240], y: [0.3, 0.5, 0.6], low: [0.2, 0.4, 0.5], high: [0.4, 0.6, 0.7] },
    ];
    const spec = trainingCurves([
      { quantity: 'accuracy', curves },
      { quantity: 'AUC', curves, reference: { label: 'chance', value: 0.5 } },
    ]);
    const panels = panelsOf(spec);
    expect(panels.map(({ y }) => y.title)).toEqual(['accuracy', 'AUC']);
    expect(panels[0].x).toMatchObject({ min: 0, max: 240 });
    expect(panels[1].series.map(({ kind }) => kind)).toEqual(['line', 'reference']);
    drawable(spec);
    drawable(trainingCurves([{ quantity: 'AUC', curves: [] }]));
  });
});

describe('precisionCoverageFigure', () => {
  it('leaves out coverages below the smallest, of curve and band', () => {
    const curve = { label: 'a', x: [0.01, 0.5, 1], y: [0, 0.9, 0.7], smallest: 0.1 };
    const spec = precisionCoverageFigure([{ ...curve, band: [0.05, 0.5].map((x) => ({ x, low: 0.6, high: 0.95 })) }]);
    const [line] = panelsOf(spec)[0].series;
    expect(line).toMatchObject({ points: [{ x: 0.5 }, { x: 1 }], band: [{ x: 0.5 }] });
    drawable(spec);
  });

  it('ends the y axis at 1 when the data come near it', () => {
    expect(panelsOf(precisionCoverageFigure([{ label: 'a', x: [1], y: [0.95] }]))[0].y.max).toBe(1);
    expect(panelsOf(precisionCoverageFigure([{ label: 'a', x: [1], y: [0.4] }]))[0].y.max).toBeUndefined();
  });
});

describe('rocFigure and scalingFigure', () => {
  it('compares with chance', () => {
    const spec = rocFigure([{ label: 'a', x: [0, 0.2, 1], y: [0, 0.8, 1] }]);
    expect(panelsOf(spec)[0].series[1]).toMatchObject({ kind: 'reference', label: 'chance' });
    drawable(spec);
  });

  it('has a logarithmic axis', () => {
    const spec = scalingFigure([{ label: 'majority', x: [1, 2, 4, 8, 16], y: [0.1, 0.12, 0.15, 0.17, 0.2] }]);
    expect(panelsOf(spec)[0].x.scale).toBe('log');
    drawable(spec);
  });
});

describe('reliabilityDiagram', () => {
  const bins = [
    { low: 0, high: 0.5, count: 0, confidence: null, accuracy: null },
    { low: 0.5, high: 1, count: 8, confidence: 0.8, accuracy: 0.5, accuracyLow: 0.2, accuracyHigh: 0.8 },
  ];

  it('draws the gap from accuracy to confidence, keeps empty bins empty, and counts answers', () => {
    const [diagram, histogram] = panelsOf(reliabilityDiagram([{ label: 'a', bins }]));
    expect(diagram.series[0]).toMatchObject({ bars: [{ to: null }, { left: 0.5, right: 1, to: 0.5, low: 0.2 }] });
    expect(diagram.series[1]).toMatchObject({ bars: [{ left: 0.5, right: 1, from: 0.5, to: 0.8 }] });
    expect(histogram.series[0]).toMatchObject({ bars: [{ to: 0 }, { to: 8 }] });
  });

  it('puts up to three groups in a row, each over its histogram', () => {
    const spec = reliabilityDiagram(['a', 'b', 'c', 'd'].map((label) => ({ label, bins, note: 'ECE 0.300' })));
    expect(spec.rows.map(({ panels }) => panels.map(({ title }) => title))).toEqual([
      ['a', 'b', 'c'],
      [undefined, undefined, undefined],
      ['d'],
      [undefined],
    ]);
    drawable(spec);
  });
});
