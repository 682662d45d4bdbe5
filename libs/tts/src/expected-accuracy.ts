import { drawnAccuracy, expectedAccuracy, type ProblemDraws } from './draws.js';
import type { Method } from './methods.js';
import { allOf, type Subset } from './votes.js';

/** What a method is expected to score on one problem with n of its draws. */
export interface Expectation {
  accuracy: number;
  /** The standard error of the average over subsets; 0 where the value is exact. */
  error: number;
  /** Tokens that are spent; NaN where the file does not tell. */
  tokens: number;
  /** Draws that are spent. */
  drawn: number;
}

export interface EstimateOptions {
  /** Random subsets for methods without a formula. */
  subsets: number;
  /** Uniform numbers in [0, 1), seeded by the caller. */
  random: () => number;
}

/**
 * The expected accuracy of a method over the subsets of n of a problem's M draws: exact where a formula exists, or where
 * n is M and the order does not matter; otherwise the average over seeded random subsets, with its standard error.
 *
 * @throws RangeError when n is above the number of draws
 */
export function expectationOf(method: Method, draws: ProblemDraws, n: number, options: EstimateOptions): Expectation {
  const total = draws.answers.length;
  if (!Number.isInteger(n) || n < 1 || n > total) throw new RangeError(`n is ${n}; the problem has ${total} draws`);
  const isWhole = n === total && !method.ordered && method.name !== 'single';
  // A formula leaves nothing to average: what is spent does not depend on the subset either.
  const rounds = isWhole || method.exact ? 1 : options.subsets;
  const pool = allOf(draws);
  const sums = { accuracy: 0, squares: 0, tokens: 0, drawn: 0 };
  for (let round = 0; round < rounds; round++) {
    const subset = isWhole ? pool : shuffled(pool, n, options.random, method.ordered === true);
    const decision = method.decide(draws, subset);
    const accuracy = (decision.isDrawn ? drawnAccuracy : expectedAccuracy)(decision.votes, draws.gold);
    sums.accuracy += accuracy;
    sums.squares += accuracy ** 2;
    sums.drawn += decision.drawn ?? n;
    sums.tokens += decision.tokens ?? tokensOf(draws, subset, decision.drawn ?? n);
  }
  const mean = sums.accuracy / rounds;
  // With all draws the one decision is the value.
  const exact = isWhole ? undefined : method.exact?.(draws, n);
  const variance = rounds > 1 ? Math.max(0, sums.squares / rounds - mean ** 2) / (rounds - 1) : 0;
  return {
    accuracy: exact ?? mean,
    error: exact === undefined ? Math.sqrt(variance) : 0,
    tokens: method.exact && method.name !== 'greedy' ? meanTokens(draws) * (sums.drawn / rounds) : sums.tokens / rounds,
    drawn: sums.drawn / rounds,
  };
}

/** n of the pool by a partial shuffle; in the order in which they were drawn unless the order is to vary too. */
function shuffled(pool: Int32Array, n: number, random: () => number, keepShuffled: boolean): Subset {
  for (let i = 0; i < n; i++) {
    const j = i + Math.floor(random() * (pool.length - i));
    [pool[i], pool[j]] = [pool[j], pool[i]];
  }
  const subset = pool.slice(0, n);
  return keepShuffled ? subset : subset.sort();
}

function tokensOf({ tokens }: ProblemDraws, subset: Subset, drawn: number): number {
  if (!tokens) return Number.NaN;
  let sum = 0;
  for (let i = 0; i < drawn; i++) sum += tokens[subset[i]];
  return sum;
}

function meanTokens({ tokens }: ProblemDraws): number {
  return tokens ? tokens.reduce((sum, value) => sum + value, 0) / tokens.length : Number.NaN;
}
