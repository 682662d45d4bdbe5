import type { IntervalEstimate } from '@capo/calibration-metrics';
import type { EvaluationLine } from '@capo/rl-core';
import type { FigureSpec } from '../figure/figure-spec.js';
import type { Curve } from '../figure/specs/curve.js';
import { trainingCurves } from '../figure/specs/training-curves.js';
import { formatCell, type Table } from '../table/table.js';
import {
  lastStep,
  MEAN_COLUMN,
  metricAt,
  overSeeds,
  suitesOf,
  TOY_METRICS,
  type ToyMetric,
  withinRun,
} from './toy-cells.js';
import { BASE_METHOD, type ToyRun } from './toy-results.js';

const METRIC_TITLES: Record<ToyMetric, string> = {
  accuracy: 'Accuracy (mean@16)',
  auc: 'Calibration: AUC of lpm against correctness, pooled over each suite',
  perPromptAuc: 'Calibration: AUC within prompts, mean over prompts with right and wrong answers',
  majority: 'Accuracy of a majority vote over all draws',
  perplexityConsistency: 'Accuracy of perplexity consistency over all draws',
  ece: 'ECE of exp(lpm) as it stands, 15 bins of equal width',
};

/** One cell of the report: a metric of one method on one suite. */
export interface ReportCell {
  metric: ToyMetric;
  method: string;
  suite: string;
  estimate: IntervalEstimate;
  /** The value of each seed, in the order of the report's seeds. */
  perSeed: (number | null)[];
}

/** All numbers of a toy reproduction. */
export interface ToyReport {
  scale: 'toy';
  seeds: number[];
  methods: string[];
  suites: string[];
  /** Training steps. */
  steps: number;
  cells: ReportCell[];
  /** Every other method compared with the first one seed by seed: method minus first. */
  differences: ReportCell[];
  /** The run folders behind the numbers. */
  runs: string[];
}

/**
 * Puts the finished runs together. With two seeds or more, intervals are Student's over seeds; with one seed they are
 * bootstrap intervals over problems where there is one, and the means over suites have none.
 *
 * @param runs the base model and every method, each for every seed, samples included when there is one seed
 */
export function toyReport(runs: readonly ToyRun[]): ToyReport {
  const seeds = [...new Set(runs.map(({ seed }) => seed))];
  const rows = [...new Set(runs.map(({ method }) => method))];
  const methods = rows.filter((method) => method !== BASE_METHOD);
  const suites = suitesOf(runs[0]);
  const columns = [...suites, MEAN_COLUMN];
  const runOf = (method: string, seed: number) =>
    runs.find((run) => run.method === method && run.seed === seed) as ToyRun;
  const valuesOf = (method: string, suite: string, metric: ToyMetric) =>
    seeds.map((seed) => metricAt(runOf(method, seed), lastStep(runOf(method, seed)), suite, metric));
  const estimateOf = (
    method: string,
    suite: string,
    metric: ToyMetric,
    perSeed: (number | null)[],
  ): IntervalEstimate => {
    const { samples, seed } = runOf(method, seeds[0]);
    if (!samples || suite === MEAN_COLUMN || metric === 'majority' || metric === 'perplexityConsistency') {
      return overSeeds(perSeed);
    }
    return withinRun(samples, suite, metric, seed);
  };
  const cells = TOY_METRICS.flatMap((metric) =>
    rows.flatMap((method) =>
      columns.map((suite) => {
        const perSeed = valuesOf(method, suite, metric);
        return { metric, method, suite, perSeed, estimate: estimateOf(method, suite, metric, perSeed) };
      }),
    ),
  );
  const [first, ...others] = methods;
  const differences = TOY_METRICS.flatMap((metric) =>
    others.flatMap((method) =>
      columns.map((suite) => {
        const baseline = valuesOf(first, suite, metric);
        const perSeed = valuesOf(method, suite, metric).map((value, i) => {
          const other = baseline[i];
          return value === null || other === null ? null : value - other;
        });
        return { metric, method: `${method} - ${first}`, suite, perSeed, estimate: overSeeds(perSeed) };
      }),
    ),
  );
  return {
    scale: 'toy',
    seeds,
    methods,
    suites,
    steps: lastStep(runOf(first, seeds[0])),
    cells,
    differences,
    runs: runs.map(({ run }) => run),
  };
}

/** The table of one metric: suites down, methods and paired differences across, so that it fits a terminal. */
export function toyTable(report: ToyReport, metric: ToyMetric): Table {
  const cells = [...report.cells, ...report.differences].filter((cell) => cell.metric === metric);
  const columns = [...new Set(cells.map(({ method }) => method))];
  const text = (suite: string, method: string) => {
    const cell = cells.find((candidate) => candidate.suite === suite && candidate.method === method) as ReportCell;
    return formatCell(cell.estimate, { signed: method.includes(' - ') });
  };
  const several = report.seeds.length > 1;
  return {
    title: METRIC_TITLES[metric],
    header: ['suite', ...columns],
    rows: [...report.suites, MEAN_COLUMN].map((suite) => [suite, ...columns.map((method) => text(suite, method))]),
    notes: [
      `Toy scale (a small model on chain arithmetic, not the paper's models): seed${several ? 's' : ''} ${report.seeds.join(', ')}; ${report.steps} training steps.`,
      several
        ? `Mean over ${report.seeds.length} seeds with Student's 95 % interval; differences are paired by seed.`
        : 'One seed: 95 % bootstrap intervals over problems, which do not contain the spread of training; run with --seeds 3 for that.',
    ],
  };
}

/** The metrics that a single run's table shows, in the order of its header. */
const RUN_METRICS = ['accuracy', 'auc', 'perPromptAuc', 'ece'] as const;

/** The last evaluation of one run: suites by metrics. */
export function runTable(evaluations: readonly EvaluationLine[]): Table {
  const step = Math.max(...evaluations.map((line) => line.step));
  const format = (value: number | null) => formatCell({ value, low: null, high: null });
  return {
    title: `After ${step} steps`,
    header: ['suite', 'accuracy', 'AUC', 'AUC within prompts', 'ECE'],
    rows: evaluations
      .filter((line) => line.step === step)
      .map((line) => [line.suite, ...RUN_METRICS.map((metric) => format(line[metric]))]),
    notes: [
      'One run: no interval. "capo reproduce" compares methods over seeds, "capo eval" adds intervals over problems.',
    ],
  };
}

/** The report as one record per cell and seed, for CSV. */
export function toyRecords({ cells, differences, seeds, steps }: ToyReport): Record<string, string | number | null>[] {
  return [...cells, ...differences].flatMap(({ metric, method, suite, perSeed, estimate }) => [
    ...perSeed.map((value, i) => ({
      scale: 'toy',
      metric,
      method,
      suite,
      seed: String(seeds[i]),
      step: method === BASE_METHOD ? 0 : steps,
      value,
      low: null,
      high: null,
    })),
    {
      scale: 'toy',
      metric,
      method,
      suite,
      seed: 'all',
      step: method === BASE_METHOD ? 0 : steps,
      value: estimate.value,
      low: estimate.low,
      high: estimate.high,
    },
  ]);
}

/** Accuracy and AUC over training steps, one line per method, mean over the suites, with Student's interval over seeds. */
export function toyTrainingCurves(runs: readonly ToyRun[]): FigureSpec {
  const methods = [...new Set(runs.map(({ method }) => method))].filter((method) => method !== BASE_METHOD);
  const curvesOf = (metric: ToyMetric): Curve[] =>
    methods.map((method) => {
      const own = runs.filter((run) => run.method === method);
      const steps = [...new Set(own[0].evaluations.map(({ step }) => step))];
      const estimates = steps.map((step) => overSeeds(own.map((run) => metricAt(run, step, MEAN_COLUMN, metric))));
      return {
        label: method,
        x: steps,
        y: estimates.map(({ value }) => value),
        low: estimates.map(({ low }) => low),
        high: estimates.map(({ high }) => high),
      };
    });
  return trainingCurves([
    { quantity: 'accuracy (mean@16)', curves: curvesOf('accuracy') },
    { quantity: 'AUC, pooled', curves: curvesOf('auc') },
    { quantity: 'AUC within prompts', curves: curvesOf('perPromptAuc') },
  ]);
}
