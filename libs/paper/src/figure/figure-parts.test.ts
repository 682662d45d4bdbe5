import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axisOptions, tickText } from './axis-options.js';
import { chartConfig } from './chart-config.js';
import { legendEntries, seriesStyle } from './figure-style.js';
import { layOutLegend } from './legend.js';
import { simplifyLine } from './simplify-line.js';

describe('simplifyLine', () => {
  const distance = (x: number, y: number, a: [number, number], b: [number, number]) => {
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const squared = dx * dx + dy * dy;
    const t = squared > 0 ? Math.min(1, Math.max(0, ((x - a[0]) * dx + (y - a[1]) * dy) / squared)) : 0;
    return Math.hypot(x - a[0] - t * dx, y - a[1] - t * dy);
  };

  it('keeps both ends and leaves no point further away than the tolerance', () => {
    const number = fc.double({ min: -10, max: 10, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 40 }), (points) => {
        const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
        const kept = simplifyLine(xs, ys, 0.5);
        expect(kept[0]).toBe(0);
        expect(kept[kept.length - 1]).toBe(points.length - 1);
        points.forEach(([x, y], i) => {
          const after = kept.findIndex((index) => index >= i);
          const before = Math.max(0, after - 1);
          expect(distance(x, y, points[kept[before]], points[kept[after]])).toBeLessThanOrEqual(0.5 + 1e-9);
        });
      }),
    );
  });

  it('leaves two points of a straight line and all corners of a zigzag', () => {
    const xs = Array.from({ length: 1000 }, (_, i) => i);
    expect(simplifyLine(xs, xs, 0.01)).toEqual([0, 999]);
    const zigzag = xs.map((i) => i % 2);
    expect(simplifyLine(xs, zigzag, 0.01)).toHaveLength(1000);
    expect(simplifyLine([], [], 1)).toEqual([]);
  });
});

describe('the line of a panel', () => {
  it('is simplified as it is seen: what is straight in numbers bends on a log axis', () => {
    const points = [1, 2, 4, 8, 16].map((x) => ({ x, y: -x }));
    const lineOf = (scale: 'linear' | 'log') => {
      const series = [{ kind: 'line' as const, label: 'a', points, markers: false }];
      const panel = { x: { title: 'x', scale }, y: { title: 'y' }, series };
      return chartConfig(panel, { width: 200, height: 100 }, legendEntries([panel]), 1).data.datasets[0].data;
    };
    expect(lineOf('linear')).toHaveLength(2);
    expect(lineOf('log')).toEqual(points);
  });
});

describe('axes', () => {
  const ticksOf = (extent: { min: number; max: number }, most: number, axis = {}) => {
    const options = axisOptions({ title: 't', ...axis }, extent, most);
    const scale = { ticks: [] as { value: number }[], min: options.min, max: options.max };
    options.afterBuildTicks(scale);
    return { values: scale.ticks.map(({ value }) => value), min: options.min, max: options.max };
  };

  it('puts ticks at round numbers from end to end', () => {
    expect(ticksOf({ min: 0.31, max: 0.68 }, 6)).toEqual({ values: [0.3, 0.4, 0.5, 0.6, 0.7], min: 0.3, max: 0.7 });
    expect(ticksOf({ min: 0, max: 1 }, 6).values).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticksOf({ min: 0, max: 240 }, 7, { max: 240 })).toMatchObject({ values: [0, 50, 100, 150, 200], max: 240 });
    expect(ticksOf({ min: -3, max: 12 }, 4).values).toEqual([-5, 0, 5, 10, 15]);
  });

  it('has at most two ticks more than there is room for, around all data', () => {
    const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(
        number,
        fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
        fc.integer({ min: 2, max: 9 }),
        (min, width, most) => {
          const { values, min: first, max: last } = ticksOf({ min, max: min + width }, most);
          expect(values.length).toBeLessThanOrEqual(most + 2);
          expect(first).toBeLessThanOrEqual(min + 1e-6 * width);
          expect(last).toBeGreaterThanOrEqual(min + width - 1e-6 * width);
        },
      ),
    );
  });

  it('uses powers of 2, 10 or 100 on a log scale', () => {
    expect(ticksOf({ min: 1, max: 64 }, 7, { scale: 'log' }).values).toEqual([1, 2, 4, 8, 16, 32, 64]);
    expect(ticksOf({ min: 1e3, max: 1e6 }, 7, { scale: 'log' }).values).toEqual([1e3, 1e4, 1e5, 1e6]);
  });

  it('writes ticks with equal decimals, a true minus sign and units', () => {
    const text = (all: number[], axis = {}) => all.map((value) => tickText(value, all, axis));
    expect(text([0, 0.25, 0.5])).toEqual(['0.00', '0.25', '0.50']);
    expect(text([-1, 0, 1])).toEqual(['\u22121', '0', '1']);
    expect(text([0, 20_000, 40_000])).toEqual(['0', '20k', '40k']);
    expect(text([0, 1000, 2000])).toEqual(['0', '1000', '2000']);
    expect(text([0.5, 0.6], { format: 'percent' })).toEqual(['50%', '60%']);
    expect(text([1, 10, 1000, 1_000_000], { scale: 'log' })).toEqual(['1', '10', '1k', '1M']);
    // 3 * 0.1 is 0.30000000000000004.
    expect(text([0.1, 0.2, 3 * 0.1])).toEqual(['0.1', '0.2', '0.3']);
  });
});

describe('the legend', () => {
  const panel = (labels: string[]) => ({
    x: { title: 'x' },
    y: { title: 'y' },
    series: labels.map((label) => ({ kind: 'line' as const, label, points: [{ x: 0, y: 0, low: 0, high: 1 }] })),
  });

  it('has one entry a label, references last, and no two looks alike', () => {
    const reference = { kind: 'reference' as const, label: 'chance', points: [] };
    const panels = [{ ...panel(['a', 'b']), series: [reference, ...panel(['a', 'b']).series] }, panel(['b', 'c'])];
    const entries = legendEntries(panels);
    expect(entries.map(({ label }) => label)).toEqual(['a', 'b', 'c', 'chance']);
    expect(entries[0].kinds).toEqual(new Set(['line', 'band']));
    const looks = Array.from({ length: 42 }, (_, i) => JSON.stringify(seriesStyle(i)));
    expect(new Set(looks).size).toBe(42);
  });

  it('breaks into centred rows that fit', () => {
    const labels = ['GRPO', 'GSPO', 'CoDaPO', 'CDE', 'SimKO', 'CAPO', 'a label that is rather long'];
    const { items, height } = layOutLegend(legendEntries([panel(labels)]), 200);
    expect(items.map(({ entry }) => entry.label)).toEqual(labels);
    expect(items.every(({ x }) => x >= 0 && x < 200)).toBe(true);
    expect(new Set(items.map(({ y }) => y)).size).toBeGreaterThan(1);
    expect(height).toBeGreaterThan(items[items.length - 1].y);
  });
});
