import { type IntervalEstimate, studentInterval } from '@capo/calibration-metrics';
import type { EvaluationLine } from '@capo/rl-core';
import { deriveSeed, type Sample, stream } from '@capo/samples';
import { type ColumnEstimates, columnEstimates } from '../evaluate/column-estimates.js';
import { SampleColumns } from '../evaluate/sample-columns.js';
import type { ToyRun } from './toy-results.js';

/** The metrics that a table can show. */
export const TOY_METRICS = ['accuracy', 'auc', 'perPromptAuc', 'majority', 'perplexityConsistency', 'ece'] as const;
export type ToyMetric = (typeof TOY_METRICS)[number];

/** The mean over the suites, as a column beside them. */
export const MEAN_COLUMN = 'mean';

/**
 * A metric of a run after that many steps on one suite, or its mean over the suites; null where undefined. Votes are
 * known of the last step only.
 */
export function metricAt(run: ToyRun, step: number, suite: string, metric: ToyMetric): number | null {
  const values =
    metric === 'majority' || metric === 'perplexityConsistency'
      ? run.votes.map((votes) => ({ suite: votes.suite, value: votes[metric] }))
      : run.evaluations
          .filter((line) => line.step === step)
          .map((line) => ({ suite: line.suite, value: line[metric] }));
  if (suite !== MEAN_COLUMN) return values.find((entry) => entry.suite === suite)?.value ?? null;
  if (values.length === 0 || values.some(({ value }) => value === null)) return null;
  return values.reduce((sum, { value }) => sum + (value as number), 0) / values.length;
}

/** The last step that a run was evaluated at. */
export function lastStep(run: ToyRun): number {
  return Math.max(...run.evaluations.map(({ step }) => step));
}

/** The suites of a run, in the order of its evaluation. */
export function suitesOf(run: ToyRun): string[] {
  return [...new Set(run.evaluations.map(({ suite }: EvaluationLine) => suite))];
}

/**
 * The mean of a metric over runs of different seeds with Student's interval. A seed for which the metric is undefined
 * makes the cell undefined rather than the mean of the others.
 */
export function overSeeds(values: readonly (number | null)[]): IntervalEstimate {
  if (values.some((value) => value === null)) {
    return { value: null, low: null, high: null, reason: 'undefined for at least one seed' };
  }
  return studentInterval(values as number[]);
}

/**
 * A metric of one run's last samples with a bootstrap interval over the suite's problems: what can be said with one
 * seed. It knows the spread of the problems and not that of training.
 */
export function withinRun(
  samples: readonly Sample[],
  suite: string,
  metric: keyof ColumnEstimates,
  seed: number,
): IntervalEstimate {
  const columns = new SampleColumns();
  for (const sample of samples) if (sample.benchmark === suite) columns.add(sample);
  const random = stream(deriveSeed(seed, 'bootstrap', suite, metric));
  return columnEstimates(columns, { random: random.uniform, resamples: 500, only: metric })[metric];
}
