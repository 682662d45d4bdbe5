import {
  auc,
  aucOfRanked,
  type BootstrapOptions,
  type ClusterStatistic,
  calibrationErrorOfRanked,
  clusterBootstrap,
  groupIndices,
  type IntervalEstimate,
  meanStatistic,
  rankedResampler,
} from '@capo/calibration-metrics';
import type { SampleColumns } from './sample-columns.js';

/** Bins of the calibration error. */
const BINS = 15;

/** The metrics of a set of samples with 95 % bootstrap intervals over problems. */
export interface ColumnEstimates {
  /** mean@k */
  accuracy: IntervalEstimate;
  auc: IntervalEstimate;
  perPromptAuc: IntervalEstimate;
  ece: IntervalEstimate;
}

/** Computes all metrics, or one and leaves the others undefined. */
export function columnEstimates(
  columns: SampleColumns,
  options: BootstrapOptions & { only?: keyof ColumnEstimates },
): ColumnEstimates {
  const clusters = columns.problemIds.length;
  const { scores, labels, problems } = columns.withSignal();
  const skipped: IntervalEstimate = { value: null, low: null, high: null, reason: 'not asked for' };
  const estimate = (name: keyof ColumnEstimates, statistic: () => ClusterStatistic | string): IntervalEstimate => {
    if (options.only && options.only !== name) return skipped;
    const made = statistic();
    if (typeof made === 'string') return { ...skipped, reason: made };
    return clusterBootstrap(clusters, made, options);
  };
  return {
    accuracy: estimate('accuracy', () => {
      const graded = columns.graded();
      return meanStatistic(valuePerProblem(graded.problems, clusters, (items) => mean(items, graded.labels)));
    }),
    auc: estimate('auc', () => {
      const ranked = rankedResampler(scores, labels, problems);
      return (multiplicity) => aucOfRanked(ranked(multiplicity)).value;
    }),
    perPromptAuc: estimate('perPromptAuc', () =>
      meanStatistic(
        valuePerProblem(problems, clusters, (items) => {
          const pick = (from: Float64Array) => items.map((i) => from[i]);
          return auc(pick(scores), pick(labels)).value ?? Number.NaN;
        }),
      ),
    ),
    ece: estimate('ece', () => {
      const probabilities = columns.probabilities();
      if (!probabilities) return `the signal ${columns.signal} is no probability`;
      const ranked = rankedResampler(probabilities, labels, problems);
      return (multiplicity) => calibrationErrorOfRanked('expected', ranked(multiplicity), { binCount: BINS }).value;
    }),
  };
}

/** One value for each problem; NaN for a problem without items. */
function valuePerProblem(problems: Float64Array, count: number, value: (items: number[]) => number): Float64Array {
  const values = new Float64Array(count).fill(Number.NaN);
  for (const items of groupIndices(problems, problems.length)) values[problems[items[0]]] = value(items);
  return values;
}

function mean(items: readonly number[], values: Float64Array): number {
  return items.reduce((sum, i) => sum + values[i], 0) / items.length;
}
