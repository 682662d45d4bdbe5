import type { Bar, FigurePanel, FigureRow, FigureSpec } from '../figure-spec.js';

/** One bin: its edges, and what lies in it. Confidence and accuracy of an empty bin are null. */
export interface DiagramBin {
  low: number;
  high: number;
  count: number;
  confidence: number | null;
  accuracy: number | null;
  /** The interval of the accuracy. */
  accuracyLow?: number | null;
  accuracyHigh?: number | null;
}

/** The bins of one group of answers. */
export interface DiagramGroup {
  label: string;
  bins: readonly DiagramBin[];
  /** A text in the diagram, for instance `ECE 0.041`. */
  note?: string;
}

/** Diagrams in a row at most, so that bins stay wide enough to see. */
const MOST_COLUMNS = 3;
/** Inches. */
const HISTOGRAM_HEIGHT = 0.9;
const UNIT = { min: 0, max: 1, ticks: [0, 0.2, 0.4, 0.6, 0.8, 1] };

/**
 * Reliability diagrams (Guo et al. 2017), one a group: the accuracy of every bin as a bar with its interval, the gap to
 * the mean confidence hatched, the diagonal of perfect calibration, and below it how many answers lie in the bins.
 * Empty bins stay empty.
 */
export function reliabilityDiagram(groups: readonly DiagramGroup[]): FigureSpec {
  const rows: FigureRow[] = [];
  for (let start = 0; start < groups.length; start += MOST_COLUMNS) {
    const row = groups.slice(start, start + MOST_COLUMNS);
    rows.push({ panels: row.map((group) => diagram(group, groups.length > 1)) });
    rows.push({ panels: row.map(histogram), height: HISTOGRAM_HEIGHT });
  }
  return { rows };
}

function diagram({ label, bins, note }: DiagramGroup, titled: boolean): FigurePanel {
  return {
    ...(titled && { title: label }),
    x: { title: '', ...UNIT },
    y: { title: 'accuracy', ...UNIT },
    ...(note && { note: { text: note, corner: 'top-left' } }),
    series: [
      {
        kind: 'bars',
        label: 'accuracy',
        style: 0,
        bars: bins.map(({ low, high, accuracy, accuracyLow, accuracyHigh }) => ({
          left: low,
          right: high,
          to: accuracy,
          low: accuracyLow ?? null,
          high: accuracyHigh ?? null,
        })),
      },
      { kind: 'bars', label: 'gap to confidence', style: 1, look: 'hatched', bars: bins.flatMap(gap) },
      { kind: 'reference', label: 'perfect calibration', points: [0, 1].map((x) => ({ x, y: x })) },
    ],
  };
}

function gap({ low, high, confidence, accuracy }: DiagramBin): Bar[] {
  return confidence === null || accuracy === null ? [] : [{ left: low, right: high, from: accuracy, to: confidence }];
}

function histogram({ bins }: DiagramGroup): FigurePanel {
  return {
    x: { title: 'confidence', ...UNIT },
    y: { title: 'answers', min: 0 },
    series: [
      {
        kind: 'bars',
        label: 'answers',
        style: 5,
        bars: bins.map(({ low, high, count }) => ({ left: low, right: high, to: count })),
      },
    ],
  };
}
