import type { Numbers } from './checks.js';

/** The quantile of sorted numbers by linear interpolation (type 7 of Hyndman & Fan 1996, the default of R and NumPy). */
export function quantile(sorted: Numbers, probability: number): number {
  const position = (sorted.length - 1) * probability;
  const below = Math.floor(position);
  const above = Math.min(sorted.length - 1, below + 1);
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}
