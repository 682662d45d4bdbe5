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

const ROUNDS = 200;

/** Where the values are first divided, as shares from below: a single division may end in a poor local optimum. */
const FIRST_DIVISIONS = [0.25, 0.5, 0.75];

/**
 * Fits a mixture of two Weibull distributions by maximum likelihood: expectation-maximisation from three divisions of the
 * values into low and high ones, of which the most likely end counts. Null when there is nothing to tell apart: fewer
 * than four values, or hardly any spread.
 *
 * @param values positive and finite
 */
export function fitWeibullMixture(values: readonly number[]): WeibullMixture | null {
  if (values.length < 4) return null;
  const sorted = [...values].sort((a, b) => a - b);
  if (!(sorted[0] > 0) || sorted[sorted.length - 1] / sorted[0] < 1 + 1e-9) return null;
  let best: { mixture: WeibullMixture; likelihood: number } | null = null;
  for (const share of FIRST_DIVISIONS) {
    const border = sorted[Math.floor(share * sorted.length)];
    const fitted = maximise(
      values,
      values.map((value) => (value >= border ? 0.9 : 0.1)),
    );
    if (fitted && (!best || fitted.likelihood > best.likelihood)) best = fitted;
  }
  return best?.mixture ?? null;
}

function maximise(values: readonly number[], first: number[]): { mixture: WeibullMixture; likelihood: number } | null {
  let upper = first;
  let end: { mixture: WeibullMixture; likelihood: number } | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const low = fitWeibull(
      values,
      upper.map((share) => 1 - share),
    );
    const high = fitWeibull(values, upper);
    if (!low || !high) return end;
    const highShare = upper.reduce((sum, share) => sum + share, 0) / values.length;
    // In the order of the responsibilities while it runs: swapping would exchange the components in the middle.
    const mixture = { low, high, highShare };
    let likelihood = 0;
    upper = values.map((value) => {
      const [a, b] = logDensities(value, mixture);
      const largest = Math.max(a, b);
      const sum = Math.exp(a - largest) + Math.exp(b - largest);
      likelihood += largest + Math.log(sum);
      return Math.exp(b - largest) / sum;
    });
    if (end !== null && !(likelihood > end.likelihood + 1e-10 * Math.abs(likelihood))) break;
    end = { mixture, likelihood };
  }
  if (end && medianOf(end.mixture.low) > medianOf(end.mixture.high)) {
    const { low, high, highShare } = end.mixture;
    return { ...end, mixture: { low: high, high: low, highShare: 1 - highShare } };
  }
  return end;
}

/** The posterior probability that a value belongs to the higher component. */
export function highPosterior(value: number, mixture: WeibullMixture): number {
  const [low, high] = logDensities(value, mixture);
  return 1 / (1 + Math.exp(low - high));
}

function logDensities(value: number, { low, high, highShare }: WeibullMixture): [number, number] {
  return [Math.log(1 - highShare) + logDensity(value, low), Math.log(highShare) + logDensity(value, high)];
}

/** The log-density of a Weibull distribution. */
export function logDensity(value: number, { shape, scale }: Weibull): number {
  const z = value / scale;
  return Math.log(shape / scale) + (shape - 1) * Math.log(z) - z ** shape;
}

function medianOf({ shape, scale }: Weibull): number {
  return scale * Math.LN2 ** (1 / shape);
}

/**
 * Weighted maximum likelihood of one Weibull distribution: the shape solves
 * `sum w x^k ln x / sum w x^k - 1/k - sum w ln x / sum w = 0`, which rises with k, by bisection. Null without weight or
 * spread.
 */
export function fitWeibull(values: readonly number[], weights: readonly number[]): Weibull | null {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 1e-9)) return null;
  const used = [...values.keys()].filter((i) => weights[i] > 0);
  const logs = used.map((i) => Math.log(values[i]));
  const logWeights = used.map((i) => Math.log(weights[i]));
  const meanLog = used.reduce((sum, i, j) => sum + weights[i] * logs[j], 0) / total;
  /** ln(sum w x^k) and the mean of ln x under the weights w x^k, without overflow. */
  const moments = (k: number) => {
    const exponents = logs.map((log, j) => logWeights[j] + k * log);
    const largest = exponents.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    let [sum, weightedLogs] = [0, 0];
    for (const [j, exponent] of exponents.entries()) {
      const term = Math.exp(exponent - largest);
      sum += term;
      weightedLogs += term * logs[j];
    }
    return { logSum: largest + Math.log(sum), mean: weightedLogs / sum };
  };
  const equation = (k: number) => moments(k).mean - 1 / k - meanLog;
  let [low, high] = [1e-3, 500];
  if (!(equation(low) < 0) || !(equation(high) > 0)) return null;
  for (let step = 0; step < 80; step++) {
    const middle = Math.sqrt(low * high);
    if (equation(middle) < 0) low = middle;
    else high = middle;
  }
  const shape = Math.sqrt(low * high);
  return { shape, scale: Math.exp((moments(shape).logSum - Math.log(total)) / shape) };
}
