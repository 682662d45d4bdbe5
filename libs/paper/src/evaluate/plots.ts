import {
  clopperPearsonLower,
  clopperPearsonUpper,
  clusterBootstrapBand,
  precisionCoverage,
  type RankedScores,
  rankedResampler,
  reliabilityBins,
  rocCurve,
  rocCurveOfRanked,
  selectiveAccuracyOfRanked,
} from '@capo/calibration-metrics';
import { deriveSeed, InputError, stream } from '@capo/samples';
import type { BandPoint, FigurePanel, FigureSpec } from '../figure/figure-spec.js';
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

/** The figure of that kind, one line per group, with 95 % intervals as bands. */
export function plotFigure(plot: Plot, groups: Groups, options: PlotOptions): FigureSpec {
  if (plot === 'reliability') return reliability(groups, options);
  return { panels: [plot === 'roc' ? roc(groups, options) : precisionCoveragePanel(groups, options)] };
}

const diagonal = { label: 'diagonal', reference: true, points: [0, 1].map((x) => ({ x, y: x })) };

/** Accuracy against confidence per bin, with Clopper-Pearson intervals, and below the bins' counts. */
function reliability(groups: Groups, { bins: binCount }: PlotOptions): FigureSpec {
  const series = [...groups].map(([label, columns]) => {
    const probabilities = columns.probabilities();
    if (!probabilities) {
      throw new InputError(
        `${label}: the signal ${columns.signal} is no probability, so it has no reliability diagram.`,
        'Choose --signal mean-logprob, or a confidence within [0, 1].',
      );
    }
    return { label, bins: reliabilityBins(probabilities, columns.withSignal().labels, { binCount }) };
  });
  const limits = (count: number, accuracy: number) => {
    const right = Math.round(count * accuracy);
    return { low: clopperPearsonLower(right, count, 0.025), high: clopperPearsonUpper(right, count, 0.025) };
  };
  return {
    panels: [
      {
        xTitle: 'confidence',
        yTitle: 'accuracy',
        xRange: [0, 1],
        yRange: [0, 1],
        series: [
          ...series.map(({ label, bins }) => ({
            label,
            points: bins.flatMap(({ confidence: x, accuracy: y, count }) =>
              x === null || y === null ? [] : [{ x, y, ...limits(count, y) }],
            ),
          })),
          diagonal,
        ],
      },
      {
        xTitle: 'confidence',
        yTitle: 'samples',
        xRange: [0, 1],
        series: series.map(({ label, bins }) => ({
          label,
          bars: true,
          points: bins.map(({ low, high, count }) => ({ x: (low + high) / 2, y: count })),
        })),
      },
    ],
  };
}

function precisionCoveragePanel(groups: Groups, options: PlotOptions): FigurePanel {
  const lines = [...groups].map(([label, columns]) => {
    const { scores, labels } = columns.withSignal();
    const { coverage, precision } = precisionCoverage(scores, labels);
    const curve = Array.from(coverage, (x, i) => ({ x, y: precision[i] }));
    const band = bandOf(columns, label, options, (ranked) => selectiveAccuracyOfRanked(ranked, GRID));
    return { label, points: thin(curve), band };
  });
  return { xTitle: 'coverage', yTitle: 'precision', xRange: [0, 1], series: lines };
}

function roc(groups: Groups, options: PlotOptions): FigurePanel {
  const lines = [...groups].map(([label, columns]) => {
    const { scores, labels } = columns.withSignal();
    const { falsePositiveRate, truePositiveRate, reason } = rocCurve(scores, labels);
    if (reason) throw new InputError(`${label}: there is no ROC curve, because ${reason}.`);
    const curve = Array.from(falsePositiveRate, (x, i) => ({ x, y: truePositiveRate[i] }));
    return { label, points: thin(curve), band: bandOf(columns, label, options, (ranked) => ratesOn(GRID, ranked)) };
  });
  return {
    xTitle: 'false positive rate',
    yTitle: 'true positive rate',
    xRange: [0, 1],
    yRange: [0, 1],
    series: [...lines, diagonal],
  };
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

/** The most points of a line; more cannot be told apart in print and make files of many megabytes. */
const MOST_POINTS = 1000;

/** Every k-th point of a longer line, the first and the last included. */
function thin<T>(points: readonly T[]): readonly T[] {
  const step = Math.ceil(points.length / MOST_POINTS);
  if (step <= 1) return points;
  return points.filter((_, i) => i % step === 0 || i === points.length - 1);
}
