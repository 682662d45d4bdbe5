import type { ProblemDraws } from './draws.js';

/**
 * Expected accuracies over all subsets of n of a problem's M draws, by counting instead of sampling. Ties split credit.
 */

/** The accuracy of a single draw. */
export function singleDrawAccuracy({ answers, gold }: ProblemDraws): number {
  return answers.reduce((sum, answer) => sum + (answer === gold ? 1 : 0), 0) / answers.length;
}

/** pass@n (Chen et al. 2021): whether any of n draws is right, the ceiling of every method. */
export function oracleAccuracy({ answers, gold }: ProblemDraws, n: number): number {
  const wrong = answers.reduce((sum, answer) => sum + (answer === gold ? 0 : 1), 0);
  return 1 - ratioOfBinomials(wrong, answers.length, n);
}

/**
 * Majority vote over n of the draws. With c_a draws of class a, the number of subsets where the right class has g votes,
 * t others as many and all others fewer is a coefficient of a product of polynomials; each is worth 1 / (t + 1).
 */
export function majorityExact({ answers, gold }: ProblemDraws, n: number): number {
  const counts = new Map<number, number>();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  const right = counts.get(gold) ?? 0;
  const silent = counts.get(-1) ?? 0;
  const others = [...counts].filter(([answer]) => answer !== gold && answer >= 0).map(([, count]) => count);
  const quiet = binomials(silent);
  let expected = 0;
  for (let g = 1; g <= Math.min(right, n); g++) {
    const rest = n - g;
    // ways[t][k]: choices of k draws of the other classes, none with more than g, t of them with exactly g. Divided by
    // C(M, n) at the end; both stay within doubles up to about a thousand draws.
    let ways: Float64Array[] = [new Float64Array(rest + 1)];
    ways[0][0] = 1;
    // What the classes that are still to come, and the silent draws, can take at most: fewer draws so far lead nowhere.
    let capacity = silent + others.reduce((sum, count) => sum + Math.min(count, g), 0);
    if (capacity < rest) continue;
    for (const count of others) {
      capacity -= Math.min(count, g);
      ways = withClass(ways, count, g, rest, rest - capacity);
    }
    for (const [t, row] of ways.entries()) {
      let total = 0;
      for (let k = 0; k <= rest; k++) if (rest - k <= silent) total += row[k] * quiet[rest - k];
      expected += (total * binomials(right)[g]) / (t + 1);
    }
  }
  return expected / binomials(answers.length)[n];
}

/** @param least draws that must have been chosen after this class, for the rest to be reached at all */
function withClass(
  ways: readonly Float64Array[],
  count: number,
  g: number,
  rest: number,
  least: number,
): Float64Array[] {
  const canTie = count >= g && g <= rest;
  const next = Array.from({ length: ways.length + (canTie ? 1 : 0) }, () => new Float64Array(rest + 1));
  const choose = binomials(count);
  for (const [t, row] of ways.entries()) {
    for (let k = 0; k <= rest; k++) {
      if (row[k] === 0) continue;
      const most = Math.min(count, g - 1, rest - k);
      for (let j = Math.max(0, least - k); j <= most; j++) next[t][k + j] += row[k] * choose[j];
      if (canTie && k + g <= rest) next[t + 1][k + g] += row[k] * choose[g];
    }
  }
  return next;
}

/**
 * Best-of-n by a confidence: the surest draw with an answer. The chance that the best level among n draws is a given one
 * follows from order statistics; within a level every draw is as likely as the others.
 */
export function bestOfExact({ answers, gold, confidence }: ProblemDraws, n: number): number {
  if (!confidence) throw new RangeError('the draws have no confidence');
  const levels = new Map<number, { draws: number; right: number }>();
  for (const [i, answer] of answers.entries()) {
    // A reply without an answer is chosen only when there is nothing else, and then it is not right.
    const level = answer < 0 ? Number.NEGATIVE_INFINITY : confidence[i];
    const entry = levels.get(level) ?? { draws: 0, right: 0 };
    entry.draws++;
    if (answer === gold) entry.right++;
    levels.set(level, entry);
  }
  let expected = 0;
  let below = 0;
  for (const [, { draws, right }] of [...levels].sort(([a], [b]) => a - b)) {
    const chance = ratioOfBinomials(below + draws, answers.length, n) - ratioOfBinomials(below, answers.length, n);
    expected += (chance * right) / draws;
    below += draws;
  }
  return expected;
}

/** C(k, n) / C(M, n), as a product that neither overflows nor underflows before its value does. */
function ratioOfBinomials(k: number, m: number, n: number): number {
  if (k < n) return 0;
  let ratio = 1;
  for (let i = 0; i < n; i++) ratio *= (k - i) / (m - i);
  return ratio;
}

const ROWS = new Map<number, Float64Array>();

/** The binomial coefficients of n, for k from 0 to n. Kept, since the same counts come again and again. */
function binomials(n: number): Float64Array {
  let row = ROWS.get(n);
  if (!row) {
    row = new Float64Array(n + 1);
    row[0] = 1;
    for (let k = 1; k <= n; k++) row[k] = (row[k - 1] * (n - k + 1)) / k;
    if (ROWS.size > 2000) ROWS.clear();
    ROWS.set(n, row);
  }
  return row;
}
