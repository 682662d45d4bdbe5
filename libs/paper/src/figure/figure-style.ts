import type { FigurePanel, FigureSeries } from './figure-spec.js';

/** How a series looks; the second channel (dash, marker) serves readers who cannot tell the colours. */
export interface SeriesStyle {
  color: string;
  dash: number[];
  marker: { shape: 'circle' | 'rect' | 'triangle' | 'rectRot' | 'crossRot'; look: 'filled' | 'outlined' };
}

/** The palette of Okabe and Ito (2008), made for colour-blind readers, without its yellow, too pale on white. */
const COLORS = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000'] as const;
const MARKERS: readonly SeriesStyle['marker'][] = [
  { shape: 'circle', look: 'filled' },
  { shape: 'rect', look: 'filled' },
  { shape: 'triangle', look: 'filled' },
  { shape: 'rectRot', look: 'filled' },
  { shape: 'crossRot', look: 'outlined' },
  { shape: 'circle', look: 'outlined' },
  { shape: 'rect', look: 'outlined' },
];
/** One fewer than the colours, so that colour and dash together repeat only after 42 series. */
const DASHES = [[], [5, 2], [1.5, 1.5], [7, 2, 1.5, 2], [3, 1.5], [9, 2.5]] as const;

/** Point sizes. Nothing is below 7 pt, the least that is read with ease in print. */
export const FONT_SIZE = { tick: 7, note: 7, text: 8, title: 9 } as const;

export const TEXT_COLOR = '#222222';
export const GRID_COLOR = '#E6E6E6';
const REFERENCE_COLOR = '#777777';
const REFERENCE_DASH = [2.5, 2];
export const LINE_WIDTH = 1.2;
export const MARKER_RADIUS = 2;
export const BAND_OPACITY = 0.18;
export const BAR_OPACITY = 0.55;

/** The k-th look. */
export function seriesStyle(index: number): SeriesStyle {
  return {
    color: COLORS[index % COLORS.length],
    dash: [...DASHES[index % DASHES.length]],
    marker: MARKERS[index % MARKERS.length],
  };
}

/** An entry of the legend: a label and everything that is drawn under it. */
export interface LegendEntry {
  label: string;
  kinds: Set<FigureSeries['kind'] | 'band' | 'hatched'>;
  style: SeriesStyle;
}

/** The labels of a figure in the order in which they first occur, references last, each with its look. */
export function legendEntries(panels: readonly FigurePanel[]): LegendEntry[] {
  const entries = new Map<string, LegendEntry>();
  const all = panels.flatMap(({ series }) => series);
  const isReference = ({ kind }: FigureSeries) => kind === 'reference';
  let next = 0;
  for (const series of [...all.filter((one) => !isReference(one)), ...all.filter(isReference)]) {
    let entry = entries.get(series.label);
    if (!entry) {
      const style =
        series.kind === 'reference'
          ? { ...seriesStyle(0), color: REFERENCE_COLOR, dash: REFERENCE_DASH }
          : seriesStyle(series.style ?? next++);
      entry = { label: series.label, kinds: new Set(), style };
      entries.set(series.label, entry);
    }
    entry.kinds.add(series.kind === 'bars' && series.look === 'hatched' ? 'hatched' : series.kind);
    if (series.kind === 'line' && hasBand(series)) entry.kinds.add('band');
  }
  return [...entries.values()];
}

function hasBand({ band, points }: Extract<FigureSeries, { kind: 'line' }>): boolean {
  return (band ?? points).some(({ low, high }) => low != null && high != null);
}

/** The colour at that opacity. */
export function translucent(color: string, opacity: number): string {
  const channel = (start: number) => Number.parseInt(color.slice(start, start + 2), 16);
  return `rgba(${channel(1)}, ${channel(3)}, ${channel(5)}, ${opacity})`;
}
