/** A Weibull distribution of positive numbers. */
export interface Weibull {
  shape: number;
  scale: number;
}

/** Two Weibull distributions, the one with the higher median last, and the share of the latter. */
export interface WeibullMixture {
  low: Weibull;
  high: Weibull;
  highShare: number;
}

const ROUNDS = 60;
/** The relative gain in likelihood below which a round is the last. */
const TOLERANCE = 1e-4;

/**
 * Fits a mixture of two Weibull distributions by maximum likelihood: expectation-maximisation from the halves below and
 * above the median. Null when there is nothing to tell apart: fewer than four values, or hardly any spread.
 *
 * @param values positive and finite
 */
export function fitWeibullMixture(values: ArrayLike<number>): WeibullMixture | null {
  const n = values.length;
  if (n < 4) return null;
  const logs = Float64Array.from(values, Math.log);
  const sorted = Float64Array.from(logs).sort();
  if (!Number.isFinite(sorted[0]) || sorted[n - 1] - sorted[0] < 1e-9) return null;
  const median = sorted[n >> 1];
  const upper = logs.map((log) => (log >= median ? 0.9 : 0.1));
  const lower = new Float64Array(n);
  let end: WeibullMixture | null = null;
  let likelihood = Number.NEGATIVE_INFINITY;
  let [lowShape, highShape] = [1, 1];
  for (let round = 0; round < ROUNDS; round++) {
    let highShare = 0;
    for (let i = 0; i < n; i++) {
      lower[i] = 1 - upper[i];
      highShare += upper[i] / n;
    }
    const low = fitLogs(logs, lower, lowShape);
    const high = fitLogs(logs, upper, highShape);
    if (!low || !high) break;
    [lowShape, highShape] = [low.shape, high.shape];
    const mixture = { low, high, highShare };
    let next = 0;
    const parts = [componentOf(low, 1 - highShare), componentOf(high, highShare)];
    for (let i = 0; i < n; i++) {
      const a = parts[0](logs[i]);
      const b = parts[1](logs[i]);
      const largest = Math.max(a, b);
      const sum = Math.exp(a - largest) + Math.exp(b - largest);
      next += largest + Math.log(sum);
      upper[i] = Math.exp(b - largest) / sum;
    }
    if (!(next > likelihood)) break;
    const isLast = next - likelihood < TOLERANCE * Math.abs(next);
    [end, likelihood] = [mixture, next];
    if (isLast) break;
  }
  if (end && medianOf(end.low) > medianOf(end.high)) {
    return { low: end.high, high: end.low, highShare: 1 - end.highShare };
  }
  return end;
}

/** The posterior probability that a value belongs to the higher component. */
export function highPosterior(value: number, { low, high, highShare }: WeibullMixture): number {
  const log = Math.log(value);
  return 1 / (1 + Math.exp(componentOf(low, 1 - highShare)(log) - componentOf(high, highShare)(log)));
}

/** The log of a component's share times its density, as a function of the log of the value. */
function componentOf({ shape, scale }: Weibull, share: number): (log: number) => number {
  const logScale = Math.log(scale);
  const constant = Math.log(share) + Math.log(shape) - logScale;
  return (log) => {
    const z = log - logScale;
    return constant + (shape - 1) * z - Math.exp(shape * z);
  };
}

/** The log-density of a Weibull distribution. */
export function logDensity(value: number, distribution: Weibull): number {
  return componentOf(distribution, 1)(Math.log(value));
}

function medianOf({ shape, scale }: Weibull): number {
  return scale * Math.LN2 ** (1 / shape);
}

/** Weighted maximum likelihood of one Weibull distribution. Null without weight or spread. */
export function fitWeibull(values: ArrayLike<number>, weights: ArrayLike<number>): Weibull | null {
  return fitLogs(Float64Array.from(values, Math.log), Float64Array.from(weights), 1);
}

/** The bounds of a shape: beyond them a component is a single value, or has no scale. */
const [LEAST_SHAPE, LARGEST_SHAPE] = [1e-3, 500];

/**
 * The shape k solves `sum w x^k ln x / sum w x^k - 1/k - sum w ln x / sum w = 0`, whose left side rises with k: Newton's
 * method within a bracket that closes around it.
 */
function fitLogs(logs: Float64Array, weights: Float64Array, start: number): Weibull | null {
  const n = logs.length;
  let [total, meanLog] = [0, 0];
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < n; i++) {
    total += weights[i];
    meanLog += weights[i] * logs[i];
    // What has next to no weight must not set the scale, or everything else would underflow.
    if (weights[i] > 1e-12 && logs[i] > largest) largest = logs[i];
  }
  if (!(total > 1e-9)) return null;
  meanLog /= total;
  let [low, high] = [LEAST_SHAPE, LARGEST_SHAPE];
  let shape = start;
  let sum = 0;
  for (let step = 0; step < 60; step++) {
    let [first, second] = [0, 0];
    sum = 0;
    for (let i = 0; i < n; i++) {
      const log = logs[i] - largest;
      const term = weights[i] * Math.exp(shape * Math.min(log, 0));
      sum += term;
      first += term * log;
      second += term * log * log;
    }
    const mean = first / sum;
    const value = mean + largest - 1 / shape - meanLog;
    if (value < 0) low = shape;
    else high = shape;
    const slope = second / sum - mean * mean + 1 / (shape * shape);
    const newton = shape - value / slope;
    const next = newton > low && newton < high ? newton : Math.sqrt(low * high);
    const isDone = Math.abs(next - shape) < 1e-7 * shape;
    shape = next;
    if (isDone) break;
  }
  // No spread: the equation has its root beyond every bound.
  if (shape > 0.99 * LARGEST_SHAPE || !Number.isFinite(sum)) return null;
  let power = 0;
  for (let i = 0; i < n; i++) {
    const log = logs[i] - largest;
    power += weights[i] * Math.exp(shape * Math.min(log, 0));
  }
  return { shape, scale: Math.exp(largest + Math.log(power / total) / shape) };
}
