import { checkScoresAndLabels, type Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';
import { groupIndices } from './groups.js';

/**
 * The unbiased estimate of the probability that at least one of k draws is correct, from c correct among n draws:
 * `1 - prod_{i = n-c+1..n} (1 - k / i)`, which equals 1 - C(n-c, k) / C(n, k) without large binomials (Chen et al.
 * 2021). Null when k is above n: more draws than there are would be a guess.
 *
 * @throws RangeError for counts that cannot be
 */
export function passAtK(n: number, correct: number, k: number): Estimate {
  const whole = [n, correct, k].every(Number.isInteger);
  if (!whole || correct < 0 || correct > n || k < 1) throw new RangeError(`${correct} correct of ${n}, k = ${k}`);
  if (k > n) return undefinedBecause(`k = ${k} is above the ${n} draws`);
  if (n - correct < k) return defined(1);
  let allWrong = 1;
  for (let i = n - correct + 1; i <= n; i++) allWrong *= 1 - k / i;
  return defined(1 - allWrong);
}

/** The mean of `passAtK` over prompts, with every prompt's own number of draws. Null when a prompt has fewer than k. */
export function meanPassAtK(labels: Numbers, prompts: Numbers, k: number): Estimate {
  checkScoresAndLabels(new Float64Array(labels.length), labels);
  const groups = groupIndices(prompts, labels.length);
  if (groups.length === 0) return undefinedBecause('there are no answers');
  let sum = 0;
  for (const indices of groups) {
    const correct = indices.reduce((total, i) => total + labels[i], 0);
    const { value, reason } = passAtK(indices.length, correct, k);
    if (value === null) return undefinedBecause(`a prompt has too few draws: ${reason}`);
    sum += value;
  }
  return defined(sum / groups.length);
}
