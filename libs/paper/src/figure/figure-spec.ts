/** A point of a line with, where there is one, the interval around it. */
export interface FigurePoint {
  x: number;
  y: number;
  low?: number | null;
  high?: number | null;
}

/** One line with its band. The same label in several panels has the same colour and one entry in the legend. */
export interface FigureSeries {
  label: string;
  points: readonly FigurePoint[];
  /** A reference such as a diagonal: thin, grey and dashed, without markers. */
  reference?: boolean;
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
