import jStat from 'jstat';
import type { Numbers } from './checks.js';
import type { IntervalEstimate } from './estimate.js';
import { groupIndices } from './groups.js';

/**
 * The mean over independent runs with Student's interval: mean +- t_{n-1} s / sqrt(n). For values over seeds, which are
 * few. One value has no interval: low and high are null with the reason.
 *
 * @param level two-sided, default 0.95
 */
export function studentInterval(values: Numbers, level = 0.95): IntervalEstimate {
  const n = values.length;
  if (n === 0) return { value: null, low: null, high: null, reason: 'there are no runs' };
  let mean = 0;
  for (let i = 0; i < n; i++) mean += values[i] / n;
  if (n === 1) return { value: mean, low: null, high: null, reason: 'one run has no spread' };
  let squares = 0;
  for (let i = 0; i < n; i++) squares += (values[i] - mean) ** 2;
  const halfWidth = jStat.studentt.inv((1 + level) / 2, n - 1) * Math.sqrt(squares / (n - 1) / n);
  return { value: mean, low: mean - halfWidth, high: mean + halfWidth, reason: null };
}

export interface BootstrapOptions {
  /** Uniform numbers in [0, 1), seeded by the caller. */
  random: () => number;
  /** Resamples; default 1000. */
  resamples?: number;
  /** Two-sided, default 0.95. */
  level?: number;
}

/**
 * A percentile bootstrap interval (Efron 1979) that resamples whole prompts, since the draws of one prompt are not
 * independent. A resample in which the statistic is undefined (one class only) is left out; when more than one in five
 * is, the interval is null with the reason.
 *
 * @param prompts the prompt of each item, as an integer id
 * @param statistic of the items with the given indices; null where it is undefined
 */
export function clusterBootstrap(
  prompts: Numbers,
  statistic: (indices: Int32Array) => number | null,
  options: BootstrapOptions,
): IntervalEstimate {
  const { random, resamples = 1000, level = 0.95 } = options;
  const clusters = groupIndices(prompts, prompts.length);
  const value = statistic(Int32Array.from({ length: prompts.length }, (_, i) => i));
  if (value === null || clusters.length < 2) {
    const reason = value === null ? 'the statistic is undefined' : 'fewer than two prompts';
    return { value, low: null, high: null, reason };
  }
  const values: number[] = [];
  for (let resample = 0; resample < resamples; resample++) {
    const chosen = Array.from(clusters, () => clusters[Math.floor(random() * clusters.length)]);
    const result = statistic(Int32Array.from(chosen.flat()));
    if (result !== null) values.push(result);
  }
  if (values.length < 0.8 * resamples) {
    return { value, low: null, high: null, reason: 'the statistic is undefined in too many resamples' };
  }
  values.sort((a, b) => a - b);
  return { value, low: quantile(values, (1 - level) / 2), high: quantile(values, (1 + level) / 2), reason: null };
}

/** The quantile of sorted numbers by linear interpolation (type 7 of Hyndman & Fan 1996, the default of R and NumPy). */
export function quantile(sorted: Numbers, probability: number): number {
  const position = (sorted.length - 1) * probability;
  const below = Math.floor(position);
  const above = Math.min(sorted.length - 1, below + 1);
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}
