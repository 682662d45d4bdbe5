import type { RandomStream } from '@capo/samples';

/** A discrete distribution of answers with a label each: what AUC is defined on. */
export interface LabelledDistribution {
  /** P(x), summing to 1. */
  weight: Float64Array;
  /** P(right | x). */
  eta: Float64Array;
}

/**
 * A random distribution with both labels: weights uniform on the simplex.
 *
 * @param labels `deterministic`: every answer is right or wrong for certain, as verifiable rewards are; `stochastic`:
 *   P(right | x) is uniform; `near-half`: within 0.05 of a half, where a linear regret bound is hardest pressed
 */
export function randomDistribution(
  points: number,
  labels: 'deterministic' | 'stochastic' | 'near-half',
  random: RandomStream,
): LabelledDistribution {
  const raw = Float64Array.from({ length: points }, () => -Math.log(1 - random.uniform()) + 1e-12);
  const sum = raw.reduce((total, value) => total + value, 0);
  const eta = Float64Array.from({ length: points }, (_, i) => {
    if (labels === 'stochastic') return random.uniform();
    if (labels === 'near-half') return 0.5 + 0.1 * (random.uniform() - 0.5);
    // The first two differ, so that there is a pair.
    return i < 2 ? i : random.integer(2);
  });
  return { weight: raw.map((value) => value / sum), eta };
}

/** P(x | right) and P(x | wrong). */
export function classConditionals({ weight, eta }: LabelledDistribution): { right: Float64Array; wrong: Float64Array } {
  const right = weight.map((w, i) => w * eta[i]);
  const wrong = weight.map((w, i) => w * (1 - eta[i]));
  const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
  const [p, n] = [total(right), total(wrong)];
  return { right: right.map((value) => value / p), wrong: wrong.map((value) => value / n) };
}

/** The expectation of a loss of the difference f(right) - f(wrong) over independent draws from the classes. */
export function pairRisk(
  distribution: LabelledDistribution,
  scores: ArrayLike<number>,
  loss: (difference: number) => number,
): number {
  const { right, wrong } = classConditionals(distribution);
  let risk = 0;
  for (let i = 0; i < right.length; i++) {
    for (let j = 0; j < wrong.length; j++) risk += right[i] * wrong[j] * loss(scores[i] - scores[j]);
  }
  return risk;
}

/** 1 - AUC's loss of a pair: 1 in the wrong order, 1/2 tied. */
export function misranked(difference: number): number {
  return difference < 0 ? 1 : difference === 0 ? 0.5 : 0;
}

/** AUC of scores under a distribution. */
export function aucOf(distribution: LabelledDistribution, scores: ArrayLike<number>): number {
  return 1 - pairRisk(distribution, scores, misranked);
}

/** The best AUC: that of the order by P(right | x) (Clemencon, Lugosi and Vayatis 2008). */
export function bestAuc(distribution: LabelledDistribution): number {
  return aucOf(distribution, distribution.eta);
}
