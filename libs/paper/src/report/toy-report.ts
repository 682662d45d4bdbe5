import type { IntervalEstimate } from '@capo/calibration-metrics';
import type { EvaluationLine } from '@capo/rl-core';
import type { FigurePanel, FigureSpec } from '../figure/figure-spec.js';
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
import type { ToyRun } from './toy-results.js';

const METRIC_TITLES: Record<ToyMetric, string> = {
  accuracy: 'Accuracy (mean@16)',
  auc: 'Calibration: AUC of lpm against correctness, pooled over each suite',
  perPromptAuc: 'Calibration: AUC within prompts, mean over prompts with right and wrong answers',
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
  /** The first two trained methods compared seed by seed: second minus first. */
  differences: ReportCell[];
  /** The run folders behind the numbers. */
  runs: string[];
}

/** The row of the model that training starts from. */
export const BASE_METHOD = 'base';

/**
 * Puts the finished runs together. With two seeds or more, intervals are Student's over seeds; with one seed they are
 * bootstrap intervals over problems, and the base model and the means have none.
 *
 * @param runs of every method for every seed, samples included when there is one seed
 */
export function toyReport(runs: readonly ToyRun[]): ToyReport {
  const seeds = [...new Set(runs.map(({ seed }) => seed))];
  const methods = [...new Set(runs.map(({ method }) => method))];
  const suites = suitesOf(runs[0]);
  const runOf = (method: string, seed: number) =>
    runs.find((run) => run.method === method && run.seed === seed) as ToyRun;
  const columns = [...suites, MEAN_COLUMN];
  const valuesOf = (method: string, suite: string, metric: ToyMetric) =>
    seeds.map((seed) => {
      const run = runOf(method === BASE_METHOD ? methods[0] : method, seed);
      return metricAt(run, method === BASE_METHOD ? 0 : lastStep(run), suite, metric);
    });
  const estimateOf = (
    method: string,
    suite: string,
    metric: ToyMetric,
    perSeed: (number | null)[],
  ): IntervalEstimate => {
    const { samples, seed } = runOf(method === BASE_METHOD ? methods[0] : method, seeds[0]);
    const bootstrap = seeds.length === 1 && method !== BASE_METHOD && suite !== MEAN_COLUMN && metric !== 'ece';
    return bootstrap && samples ? withinRun(samples, suite, metric, seed) : overSeeds(perSeed);
  };
  const cells = TOY_METRICS.flatMap((metric) =>
    [BASE_METHOD, ...methods].flatMap((method) =>
      columns.map((suite) => {
        const perSeed = valuesOf(method, suite, metric);
        return { metric, method, suite, perSeed, estimate: estimateOf(method, suite, metric, perSeed) };
      }),
    ),
  );
  const differences =
    methods.length < 2
      ? []
      : TOY_METRICS.flatMap((metric) =>
          columns.map((suite) => {
            const [first, second] = [methods[0], methods[1]].map((method) => valuesOf(method, suite, metric));
            const perSeed = second.map((value, i) => {
              const other = first[i];
              return value === null || other === null ? null : value - other;
            });
            return { metric, method: `${methods[1]} - ${methods[0]}`, suite, perSeed, estimate: overSeeds(perSeed) };
          }),
        );
  return {
    scale: 'toy',
    seeds,
    methods,
    suites,
    steps: lastStep(runs[0]),
    cells,
    differences,
    runs: runs.map(({ run }) => run),
  };
}

/** The table of one metric: methods by suites, and under them the paired difference. */
export function toyTable(report: ToyReport, metric: ToyMetric): Table {
  const columns = [...report.suites, MEAN_COLUMN];
  const row = (label: string, cells: readonly ReportCell[], signed: boolean) => [
    label,
    ...columns.map((suite) => {
      const cell = cells.find((candidate) => candidate.suite === suite) as ReportCell;
      return formatCell(cell.estimate, { signed });
    }),
  ];
  const of = (method: string) => report.cells.filter((cell) => cell.metric === metric && cell.method === method);
  const differences = report.differences.filter((cell) => cell.metric === metric);
  const rows = [BASE_METHOD, ...report.methods].map((method) => row(method, of(method), false));
  if (differences.length > 0) rows.push(row(differences[0].method, differences, true));
  return {
    title: METRIC_TITLES[metric],
    header: ['method', ...columns],
    rows,
    notes: [
      `Toy scale (a small model on chain arithmetic, not the paper's models): seeds ${report.seeds.join(', ')}; ${report.steps} training steps.`,
      report.seeds.length > 1
        ? `Mean over ${report.seeds.length} seeds with Student's 95 % interval; the last row is the paired difference by seed.`
        : 'One seed: 95 % bootstrap intervals over problems, which do not contain the spread of training; run with --seeds 3 for that.',
    ],
  };
}

/** The last evaluation of one run: suites by metrics. */
export function runTable(evaluations: readonly EvaluationLine[]): Table {
  const step = Math.max(...evaluations.map((line) => line.step));
  const format = (value: number | null) => formatCell({ value, low: null, high: null });
  return {
    title: `After ${step} steps`,
    header: ['suite', 'accuracy', 'AUC', 'AUC within prompts', 'ECE'],
    rows: evaluations
      .filter((line) => line.step === step)
      .map((line) => [line.suite, ...TOY_METRICS.map((metric) => format(line[metric]))]),
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
export function trainingCurves(runs: readonly ToyRun[]): FigureSpec {
  const methods = [...new Set(runs.map(({ method }) => method))];
  const panel = (metric: ToyMetric, yTitle: string): FigurePanel => ({
    xTitle: 'training step',
    yTitle,
    series: methods.map((method) => {
      const own = runs.filter((run) => run.method === method);
      const steps = [...new Set(own[0].evaluations.map(({ step }) => step))];
      const points = steps.map((step) => ({
        x: step,
        ...overSeeds(own.map((run) => metricAt(run, step, MEAN_COLUMN, metric))),
      }));
      return {
        label: method,
        points: points.flatMap(({ x, value, low, high }) => (value === null ? [] : [{ x, y: value, low, high }])),
      };
    }),
  });
  return {
    panels: [
      panel('accuracy', 'accuracy (mean@16)'),
      panel('auc', 'AUC, pooled'),
      panel('perPromptAuc', 'AUC within prompts'),
    ],
  };
}
