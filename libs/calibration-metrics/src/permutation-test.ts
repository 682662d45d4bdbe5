/** A paired permutation test of a mean difference. */
export interface PermutationTest {
  /** The mean of the differences. */
  meanDifference: number;
  /** Two-sided. */
  pValue: number;
  /** Whether all sign patterns were counted, or a random sample of them. */
  exact: boolean;
}

/** Up to this many differences all 2^n sign patterns are counted. */
const EXACT_LIMIT = 16;

/**
 * The paired permutation test (Fisher 1935): under the null hypothesis each difference (for instance of a prompt's
 * accuracy under two methods) is as likely to have the other sign. The p-value is the share of sign patterns whose mean
 * is at least as far from zero as the one seen; the seen pattern is one of them, so it is never 0. Up to 16 differences
 * all patterns are counted, beyond that a seeded random sample.
 *
 * @param differences one per independent unit, zeros included
 * @param random uniform numbers in [0, 1), seeded by the caller
 * @param permutations of the random sample, default 10,000
 * @throws RangeError without differences
 */
export function pairedPermutationTest(
  differences: ArrayLike<number>,
  random: () => number,
  permutations = 10_000,
): PermutationTest {
  const n = differences.length;
  if (n === 0) throw new RangeError('there are no differences');
  let sum = 0;
  let scale = 0;
  for (let i = 0; i < n; i++) {
    sum += differences[i];
    scale += Math.abs(differences[i]);
  }
  // Sums of the same numbers in another order may differ by rounding; they must still count as equal.
  const seen = Math.abs(sum) - 1e-12 * scale;
  const exact = n <= EXACT_LIMIT;
  const patterns = exact ? 2 ** n : permutations;
  let extreme = 0;
  for (let pattern = 0; pattern < patterns; pattern++) {
    let total = 0;
    for (let i = 0; i < n; i++) {
      const flip = exact ? (pattern >> i) & 1 : random() < 0.5;
      total += flip ? -differences[i] : differences[i];
    }
    if (Math.abs(total) >= seen) extreme++;
  }
  return { meanDifference: sum / n, pValue: exact ? extreme / patterns : (extreme + 1) / (patterns + 1), exact };
}
