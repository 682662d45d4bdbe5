import {
  clopperPearsonLower,
  clopperPearsonUpper,
  clusterBootstrapBand,
  expectedCalibrationError,
  precisionCoverage,
  type RankedScores,
  rankedResampler,
  reliabilityBins,
  rocCurve,
  rocCurveOfRanked,
  selectiveAccuracyOfRanked,
} from '@capo/calibration-metrics';
import { deriveSeed, InputError, stream } from '@capo/samples';
import type { BandPoint, FigureSpec } from '../figure/figure-spec.js';
import { precisionCoverageFigure } from '../figure/specs/precision-coverage.js';
import { type DiagramGroup, reliabilityDiagram } from '../figure/specs/reliability-diagram.js';
import { rocFigure } from '../figure/specs/roc-curve.js';
import type { SampleColumns } from './sample-columns.js';

/** The figures of sample files. */
export const PLOTS = ['reliability', 'precision-coverage', 'roc'] as const;
export type Plot = (typeof PLOTS)[number];

export interface PlotOptions {
  seed: number;
  resamples: number;
  /** Bins of a reliability diagram. */
  bins: number;
}

type Groups = ReadonlyMap<string, SampleColumns>;

/** Points of a curve's band. */
const GRID = Array.from({ length: 50 }, (_, i) => (i + 1) / 50);

/** Coverages below that of this many answers are not drawn: their precision is chance. */
const FEWEST_ANSWERS = 10;

/** The figure of that kind, one line or diagram per group, with 95 % intervals. */
export function plotFigure(plot: Plot, groups: Groups, options: PlotOptions): FigureSpec {
  if (plot === 'reliability') return reliability(groups, options);
  return plot === 'roc' ? roc(groups, options) : precisionCoverageCurves(groups, options);
}

/** Accuracy against confidence per bin, with Clopper-Pearson intervals, and below the bins' counts. */
function reliability(groups: Groups, { bins: binCount }: PlotOptions): FigureSpec {
  const limits = (count: number, accuracy: number | null) => {
    if (accuracy === null) return {};
    const right = Math.round(count * accuracy);
    return {
      accuracyLow: clopperPearsonLower(right, count, 0.025),
      accuracyHigh: clopperPearsonUpper(right, count, 0.025),
    };
  };
  const diagrams = [...groups].map(([label, columns]): DiagramGroup => {
    const probabilities = columns.probabilities();
    if (!probabilities) {
      throw new InputError(
        `${label}: the signal ${columns.signal} is no probability, so it has no reliability diagram.`,
        'Choose --signal mean-logprob, or a confidence within [0, 1].',
      );
    }
    const { labels } = columns.withSignal();
    const bins = reliabilityBins(probabilities, labels, { binCount });
    const { value } = expectedCalibrationError(probabilities, labels, { binCount });
    return {
      label,
      bins: bins.map((bin) => ({ ...bin, ...limits(bin.count, bin.accuracy) })),
      ...(value !== null && { note: `ECE ${value.toFixed(3)}` }),
    };
  });
  return reliabilityDiagram(diagrams);
}

function precisionCoverageCurves(groups: Groups, options: PlotOptions): FigureSpec {
  const curves = [...groups].map(([label, columns]) => {
    const { scores, labels } = columns.withSignal();
    const { coverage, precision } = precisionCoverage(scores, labels);
    const band = bandOf(columns, label, options, (ranked) => selectiveAccuracyOfRanked(ranked, GRID));
    return { label, x: coverage, y: precision, band, smallest: Math.min(1, FEWEST_ANSWERS / scores.length) };
  });
  return precisionCoverageFigure(curves);
}

function roc(groups: Groups, options: PlotOptions): FigureSpec {
  const curves = [...groups].map(([label, columns]) => {
    const { scores, labels } = columns.withSignal();
    const { falsePositiveRate, truePositiveRate, reason } = rocCurve(scores, labels);
    if (reason) throw new InputError(`${label}: there is no ROC curve, because ${reason}.`);
    const band = bandOf(columns, label, options, (ranked) => ratesOn(GRID, ranked));
    return { label, x: falsePositiveRate, y: truePositiveRate, band };
  });
  return rocFigure(curves);
}

/** The ROC curve's height at given false positive rates, by linear interpolation; null where there is no curve. */
function ratesOn(grid: readonly number[], ranked: RankedScores): (number | null)[] {
  const { falsePositiveRate: xs, truePositiveRate: ys } = rocCurveOfRanked(ranked);
  if (xs.length === 0) return grid.map(() => null);
  let i = 1;
  return grid.map((x) => {
    while (i < xs.length - 1 && xs[i] < x) i++;
    const width = xs[i] - xs[i - 1];
    const part = width > 0 ? Math.min(1, Math.max(0, (x - xs[i - 1]) / width)) : 1;
    return ys[i - 1] + part * (ys[i] - ys[i - 1]);
  });
}

/** The limits of a curve at the grid's x, from resampled problems. */
function bandOf(
  columns: SampleColumns,
  label: string,
  { seed, resamples }: PlotOptions,
  onGrid: (ranked: RankedScores) => readonly (number | null)[],
): BandPoint[] {
  const { scores, labels, problems } = columns.withSignal();
  const ranked = rankedResampler(scores, labels, problems);
  const statistic = (multiplicity: Float64Array) => onGrid(ranked(multiplicity));
  const options = { random: stream(deriveSeed(seed, 'band', label)).uniform, resamples };
  const { low, high } = clusterBootstrapBand(columns.problemIds.length, statistic, options);
  return GRID.map((x, i) => ({ x, low: low[i], high: high[i] }));
}
