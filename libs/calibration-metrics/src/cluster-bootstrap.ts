import type { IntervalEstimate } from './estimate.js';
import { quantile } from './quantile.js';

export interface BootstrapOptions {
  /** Uniform numbers in [0, 1), seeded by the caller. */
  random: () => number;
  /** Resamples; default 1000. */
  resamples?: number;
  /** Two-sided, default 0.95. */
  level?: number;
}

/**
 * A statistic of resampled data: how often each cluster was drawn goes in, the value comes out, null where it is
 * undefined. With multiplicities instead of copied items, a statistic that sorts does so once and not per resample.
 */
export type ClusterStatistic = (multiplicity: Float64Array) => number | null;

/**
 * A percentile bootstrap interval (Efron 1979) that resamples whole clusters: the draws of one prompt are not
 * independent, so prompts are drawn and not answers. A resample in which the statistic is undefined (one class only) is
 * left out; when more than one in five is, the interval is null with the reason.
 *
 * @param clusters the number of clusters
 */
export function clusterBootstrap(
  clusters: number,
  statistic: ClusterStatistic,
  options: BootstrapOptions,
): IntervalEstimate {
  const { random, resamples = 1000, level = 0.95 } = options;
  const value = statistic(new Float64Array(clusters).fill(1));
  if (value === null || clusters < 2) {
    const reason = value === null ? 'the statistic is undefined' : 'fewer than two prompts';
    return { value, low: null, high: null, reason };
  }
  const values: number[] = [];
  const multiplicity = new Float64Array(clusters);
  for (let resample = 0; resample < resamples; resample++) {
    multiplicity.fill(0);
    for (let draw = 0; draw < clusters; draw++) multiplicity[Math.floor(random() * clusters)]++;
    const result = statistic(multiplicity);
    if (result !== null) values.push(result);
  }
  if (values.length < 0.8 * resamples) {
    return { value, low: null, high: null, reason: 'the statistic is undefined in too many resamples' };
  }
  values.sort((a, b) => a - b);
  return { value, low: quantile(values, (1 - level) / 2), high: quantile(values, (1 + level) / 2), reason: null };
}
