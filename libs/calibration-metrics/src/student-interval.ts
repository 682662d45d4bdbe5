import jStat from 'jstat';
import type { Numbers } from './checks.js';
import type { IntervalEstimate } from './estimate.js';

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
