import {
  areaUnderRiskCoverageOfRanked,
  averagePrecisionOfRanked,
  type BootstrapOptions,
  brierScoreOfRanked,
  calibrationErrorOfRanked,
  clusterBootstrapBand,
  coverageAtPrecisionOfRanked,
  delongInterval,
  type Estimate,
  type IntervalEstimate,
  meanPassAtK,
  negativeLogLikelihoodOfRanked,
  type RankedScores,
  rankedResampler,
  smoothCalibrationError,
} from '@capo/calibration-metrics';
import { deriveSeed, stream } from '@capo/samples';
import { formatCell, type Table } from '../table/table.js';
import { columnEstimates } from './column-estimates.js';
import { omissionNotes } from './read-groups.js';
import type { SampleColumns, Signal } from './sample-columns.js';

export interface MetricsOptions {
  signal: Signal;
  /** Bins of the calibration errors. */
  bins: number;
  /** How AUC's interval is made; the other intervals are bootstrap intervals over problems. */
  ci: 'bootstrap' | 'delong';
  seed: number;
  resamples: number;
}

/** One metric of one group. */
export interface MetricRow extends IntervalEstimate {
  group: string;
  metric: string;
}

/** A metric of ranked scores and what it is called. */
interface RankedMetric {
  metric: string;
  /** Whether the scores must be probabilities. */
  probability: boolean;
  of(ranked: RankedScores, bins: number): Estimate;
}

function excessArea(ranked: RankedScores): Estimate {
  const { excess, reason } = areaUnderRiskCoverageOfRanked(ranked);
  return { value: excess, reason };
}

function coverageAt90(ranked: RankedScores): Estimate {
  return { value: coverageAtPrecisionOfRanked(ranked, 0.9).coverage, reason: null };
}

const RANKED_METRICS: readonly RankedMetric[] = [
  { metric: 'average precision', probability: false, of: (r) => averagePrecisionOfRanked(r) },
  { metric: 'AURC', probability: false, of: (r) => areaUnderRiskCoverageOfRanked(r) },
  { metric: 'E-AURC', probability: false, of: excessArea },
  { metric: 'coverage at precision 0.9', probability: false, of: coverageAt90 },
  {
    metric: 'ECE, equal width',
    probability: true,
    of: (r, binCount) => calibrationErrorOfRanked('expected', r, { binCount }),
  },
  {
    metric: 'ECE, equal mass',
    probability: true,
    of: (r, binCount) => calibrationErrorOfRanked('expected', r, { binCount, binning: 'equal-mass' }),
  },
  {
    metric: 'ACE',
    probability: true,
    of: (r, binCount) => calibrationErrorOfRanked('adaptive', r, { binCount }),
  },
  { metric: 'MCE', probability: true, of: (r, binCount) => calibrationErrorOfRanked('maximum', r, { binCount }) },
  {
    metric: 'RMS calibration error',
    probability: true,
    of: (r, binCount) => calibrationErrorOfRanked('rootMeanSquare', r, { binCount }),
  },
  {
    metric: 'debiased squared calibration error',
    probability: true,
    of: (r, binCount) => calibrationErrorOfRanked('debiasedSquared', r, { binCount }),
  },
  { metric: 'Brier score', probability: true, of: (r) => brierScoreOfRanked(r) },
  { metric: 'NLL', probability: true, of: (r) => negativeLogLikelihoodOfRanked(r) },
];

/** All metrics of every group. */
export function metricsReport(groups: ReadonlyMap<string, SampleColumns>, options: MetricsOptions): MetricRow[] {
  return [...groups].flatMap(([group, columns]) => {
    const random = stream(deriveSeed(options.seed, 'metrics', group)).uniform;
    const bootstrap: BootstrapOptions = { random, resamples: options.resamples };
    const { accuracy, auc, perPromptAuc } = columnEstimates(columns, bootstrap);
    const { scores, labels } = columns.withSignal();
    const rows: [string, IntervalEstimate][] = [
      ['accuracy (mean@k)', accuracy],
      ...passRows(columns),
      ['AUC', options.ci === 'delong' ? delongInterval(scores, labels) : auc],
      ['AUC within prompts', perPromptAuc],
      ...rankedRows(columns, options.bins, bootstrap),
      ['smooth ECE', smoothEstimate(columns)],
    ];
    return rows.map(([metric, { value, low, high, reason }]) => ({ group, metric, value, low, high, reason }));
  });
}

const without = (reason: string | null): IntervalEstimate => ({ value: null, low: null, high: null, reason });

/** All metrics of ranked scores; every resample is ranked once and serves them all. */
function rankedRows(columns: SampleColumns, bins: number, bootstrap: BootstrapOptions): [string, IntervalEstimate][] {
  const { scores, labels, problems } = columns.withSignal();
  const rowsOf = (metrics: readonly RankedMetric[], inputs: Float64Array): [string, IntervalEstimate][] => {
    const ranked = rankedResampler(inputs, labels, problems);
    const problemCount = columns.problemIds.length;
    const whole = ranked(new Float64Array(problemCount).fill(1));
    const estimates = metrics.map(({ of }) => of(whole, bins));
    const values = (multiplicity: Float64Array) => {
      const resample = ranked(multiplicity);
      return metrics.map(({ of }) => of(resample, bins).value);
    };
    const { low, high } = clusterBootstrapBand(problemCount, values, bootstrap);
    return metrics.map(({ metric }, i) => {
      const { value, reason } = estimates[i];
      return [metric, value === null ? without(reason) : { value, low: low[i], high: high[i], reason: null }];
    });
  };
  const probabilities = columns.probabilities();
  const ofProbabilities = RANKED_METRICS.filter(({ probability }) => probability);
  return [
    ...rowsOf(
      RANKED_METRICS.filter(({ probability }) => !probability),
      scores,
    ),
    ...(probabilities
      ? rowsOf(ofProbabilities, probabilities)
      : ofProbabilities.map(({ metric }): [string, IntervalEstimate] => [
          metric,
          without(`the signal ${columns.signal} is no probability`),
        ])),
  ];
}

/** pass@k for the powers of two up to the fewest draws of a problem; no interval. */
function passRows(columns: SampleColumns): [string, IntervalEstimate][] {
  const { labels, problems } = columns.graded();
  const draws = new Map<number, number>();
  for (const problem of problems) draws.set(problem, (draws.get(problem) ?? 0) + 1);
  const fewest = Math.min(...draws.values());
  const rows: [string, IntervalEstimate][] = [];
  for (let k = 1; k <= fewest && draws.size > 0; k *= 2) {
    rows.push([`pass@${k}`, { ...without(null), ...meanPassAtK(labels, problems, k) }]);
  }
  return rows;
}

function smoothEstimate(columns: SampleColumns): IntervalEstimate {
  const probabilities = columns.probabilities();
  if (!probabilities) return without(`the signal ${columns.signal} is no probability`);
  const { value, reason } = smoothCalibrationError(probabilities, columns.withSignal().labels);
  return { ...without(reason), value };
}

/** Metrics down, groups across. */
export function metricsTable(
  rows: readonly MetricRow[],
  groups: ReadonlyMap<string, SampleColumns>,
  { signal, ci, bins }: MetricsOptions,
): Table {
  const metrics = [...new Set(rows.map(({ metric }) => metric))];
  const cell = (metric: string, group: string) => {
    const row = rows.find((candidate) => candidate.metric === metric && candidate.group === group);
    return row ? formatCell(row) : 'n/a';
  };
  const names = [...groups.keys()];
  const severalDraws = [...groups.values()].some((columns) => columns.samples > columns.problemIds.length);
  const notes = [
    `Confidence: ${signal}; ${bins} bins. 95 % bootstrap intervals over problems; pass@k and smooth ECE have none.`,
    ...(ci === 'delong' ? ["AUC: DeLong's interval, which takes all samples for independent."] : []),
    ...(ci === 'delong' && severalDraws ? ['There are several draws a problem, so that interval is too narrow.'] : []),
    ...omissionNotes(groups.values()),
    ...rows.flatMap(({ group, metric, value, reason }) =>
      value === null ? [`${group}: ${metric} is n/a: ${reason}.`] : [],
    ),
  ];
  return {
    title: 'Metrics',
    header: ['metric', ...names],
    rows: [
      ['problems', ...names.map((name) => String(groups.get(name)?.problemIds.length))],
      ['samples', ...names.map((name) => String(groups.get(name)?.samples))],
      ...metrics.map((metric) => [metric, ...names.map((name) => cell(metric, name))]),
    ],
    notes,
  };
}
