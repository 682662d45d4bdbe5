import jStat from 'jstat';
import type { IntervalEstimate } from './estimate.js';
import { quantile } from './quantile.js';

export interface BootstrapOptions {
  /** Uniform numbers in [0, 1), seeded by the caller. */
  random: () => number;
  /** Resamples; default 1000. */
  resamples?: number;
  /** Two-sided, default 0.95. */
  level?: number;
  /** `percentile` (Efron 1979) or `bca`, bias-corrected and accelerated (Efron 1987). Default `percentile`. */
  method?: 'percentile' | 'bca';
}

/**
 * A statistic of resampled data: how often each cluster was drawn goes in, the value comes out, null where it is
 * undefined. With multiplicities instead of copied items, a statistic that sorts does so once and not per resample.
 */
export type ClusterStatistic = (multiplicity: Float64Array) => number | null;

/**
 * A bootstrap interval that resamples whole clusters: the draws of one prompt are not independent, so prompts are drawn
 * and not answers. A resample in which the statistic is undefined (one class only) is left out; when more than one in
 * five is, the interval is null with the reason.
 *
 * @param clusters the number of clusters
 */
export function clusterBootstrap(
  clusters: number,
  statistic: ClusterStatistic,
  options: BootstrapOptions,
): IntervalEstimate {
  const { random, resamples = 1000, level = 0.95, method = 'percentile' } = options;
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
  const tails = [(1 - level) / 2, (1 + level) / 2];
  const [low, high] = method === 'bca' ? correctedTails(tails, value, values, clusters, statistic) : tails;
  return { value, low: quantile(values, low), high: quantile(values, high), reason: null };
}

/**
 * BCa's probabilities in place of the nominal tails: shifted by the bias of the resamples' median and by the
 * acceleration, the skewness of the statistic as it leaves out one cluster at a time. The nominal tails where every
 * resample or every leave-one-out value is the same.
 */
function correctedTails(
  tails: readonly number[],
  value: number,
  sorted: readonly number[],
  clusters: number,
  statistic: ClusterStatistic,
): readonly number[] {
  // Values equal to the estimate count half, so that a discrete statistic is not taken for biased.
  const below = sorted.filter((item) => item < value).length + sorted.filter((item) => item === value).length / 2;
  const share = below / sorted.length;
  const multiplicity = new Float64Array(clusters).fill(1);
  const leftOut: number[] = [];
  for (let cluster = 0; cluster < clusters; cluster++) {
    multiplicity[cluster] = 0;
    const result = statistic(multiplicity);
    if (result !== null) leftOut.push(result);
    multiplicity[cluster] = 1;
  }
  const mean = leftOut.reduce((sum, item) => sum + item, 0) / leftOut.length;
  const moment = (power: number) => leftOut.reduce((sum, item) => sum + (mean - item) ** power, 0);
  if (share === 0 || share === 1 || !(moment(2) > 0)) return tails;
  const acceleration = moment(3) / (6 * moment(2) ** 1.5);
  const bias = jStat.normal.inv(share, 0, 1);
  return tails.map((tail) => {
    const z = bias + jStat.normal.inv(tail, 0, 1);
    return jStat.normal.cdf(bias + z / (1 - acceleration * z), 0, 1);
  });
}

/** Pointwise limits around a curve. */
export interface BootstrapBand {
  low: (number | null)[];
  high: (number | null)[];
}

/**
 * Pointwise percentile limits around a curve, from resampled clusters: each point's interval by itself, not a band for
 * the curve as a whole. A point that is undefined in more than one of five resamples has no limits.
 *
 * @param statistic the curve's values at the same points for every resample; null where a point is undefined
 */
export function clusterBootstrapBand(
  clusters: number,
  statistic: (multiplicity: Float64Array) => readonly (number | null)[],
  options: Omit<BootstrapOptions, 'method'>,
): BootstrapBand {
  const { random, resamples = 1000, level = 0.95 } = options;
  const multiplicity = new Float64Array(clusters);
  const points: number[][] = statistic(multiplicity.fill(1)).map(() => []);
  for (let resample = 0; resample < resamples; resample++) {
    multiplicity.fill(0);
    for (let draw = 0; draw < clusters; draw++) multiplicity[Math.floor(random() * clusters)]++;
    statistic(multiplicity).forEach((value, point) => {
      if (value !== null) points[point].push(value);
    });
  }
  const limit = (probability: number) =>
    points.map((values) => (values.length < 0.8 * resamples ? null : quantile(values, probability)));
  for (const values of points) values.sort((a, b) => a - b);
  return { low: limit((1 - level) / 2), high: limit((1 + level) / 2) };
}
