/** A point of a line with, where there is one, the interval around it. */
export interface FigurePoint {
  x: number;
  y: number;
  low?: number | null;
  high?: number | null;
}

/** The limits of a band at one x. */
export interface BandPoint {
  x: number;
  low: number | null;
  high: number | null;
}

/** One line with its band. The same label in several panels has the same colour and one entry in the legend. */
export interface FigureSeries {
  label: string;
  points: readonly FigurePoint[];
  /** The interval around the line at points of its own, where the line has too many; else the points' low and high. */
  band?: readonly BandPoint[];
  /** A reference such as a diagonal: thin, grey and dashed, without markers. */
  reference?: boolean;
  /** Bars from zero instead of a line, for counts; as wide as the distance of their x. */
  bars?: boolean;
}

/** One pair of axes. */
export interface FigurePanel {
  title?: string;
  xTitle: string;
  yTitle: string;
  xRange?: readonly [number, number];
  yRange?: readonly [number, number];
  series: readonly FigureSeries[];
}

/** A figure as data: panels side by side under one legend. What it looks like is the renderer's business. */
export interface FigureSpec {
  panels: readonly FigurePanel[];
  /** Panels in a row; default: all. */
  columns?: number;
}
