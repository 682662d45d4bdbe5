/**
 * A figure as data. A specification says what is shown; how it looks (fonts, colours, dashes, sizes of marks) is the
 * renderer's business, so that all figures look alike and a method keeps its colour across the panels of a figure.
 */

/** A point, with the ends of its interval where it has one. A null `y` is a gap in the line. */
export interface FigurePoint {
  x: number;
  y: number | null;
  low?: number | null;
  high?: number | null;
}

/** The limits of a band at one x. */
export interface BandPoint {
  x: number;
  low: number | null;
  high: number | null;
}

/** What all series share. */
interface Labelled {
  /** The name in the legend. The same label in several panels has the same look and one entry in the legend. */
  label: string;
  /** The index of the look, to keep a method's look from figure to figure; default: in order of first appearance. */
  style?: number;
}

/** A line through points, with the band of its intervals. */
export interface LineSeries extends Labelled {
  kind: 'line';
  /** In the order in which they are joined. */
  points: readonly FigurePoint[];
  /** The interval at points of its own, where the line has too many; else the points' low and high. */
  band?: readonly BandPoint[];
  /** Whether points are marked: all of a few, some of many. Default true. */
  markers?: boolean;
}

/** Points that are not joined, with their intervals as whiskers. */
interface ScatterSeries extends Labelled {
  kind: 'scatter';
  points: readonly FigurePoint[];
}

/** One bar; a null `to` is none. */
export interface Bar {
  left: number;
  right: number;
  /** Where the bar starts; default 0, or the lower end of the axis if that is higher. */
  from?: number;
  to: number | null;
  /** The interval around `to`, drawn as a whisker. */
  low?: number | null;
  high?: number | null;
}

/** Bars with edges of their own, for histograms and bins of any width. */
export interface BarSeries extends Labelled {
  kind: 'bars';
  bars: readonly Bar[];
  /** `solid` (default), or `hatched` for a difference that lies on other bars. */
  look?: 'solid' | 'hatched';
}

/** A thin grey dashed line to compare with: a diagonal, chance. */
interface ReferenceSeries {
  kind: 'reference';
  label: string;
  points: readonly { x: number; y: number }[];
}

export type FigureSeries = LineSeries | ScatterSeries | BarSeries | ReferenceSeries;

/** One axis of a panel. */
export interface AxisSpec {
  title: string;
  /** The ends of the axis; default: round numbers around the data. */
  min?: number;
  max?: number;
  scale?: 'linear' | 'log';
  /** Where ticks stand; default: at round numbers (on a log scale at powers of 2, 10 or 100). */
  ticks?: readonly number[];
  format?: 'number' | 'percent';
}

/** One pair of axes. */
export interface FigurePanel {
  title?: string;
  x: AxisSpec;
  y: AxisSpec;
  series: readonly FigureSeries[];
  /** A short text within the axes, for a number that belongs to the panel. */
  note?: { text: string; corner: 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right' };
}

/** Panels side by side. */
export interface FigureRow {
  panels: readonly FigurePanel[];
  /** Inches; default: by the width of the panels. */
  height?: number;
}

/** A figure: rows of panels in a grid, under one title, above one legend. */
export interface FigureSpec {
  title?: string;
  rows: readonly FigureRow[];
  /** Inches: 3.3, a column of a paper, is the default for one panel in a row, and 6.75, the page, for more. */
  width?: number;
}

/** All panels of a figure, row by row. */
export function panelsOf({ rows }: FigureSpec): FigurePanel[] {
  return rows.flatMap(({ panels }) => panels);
}
