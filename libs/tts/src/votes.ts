import type { ProblemDraws, Votes } from './draws.js';

/** A subset of a problem's draws, by index, in the order in which they were drawn. */
export type Subset = ArrayLike<number>;

/** All draws of a problem. */
export function allOf({ answers }: ProblemDraws): Int32Array {
  const all = new Int32Array(answers.length);
  for (let i = 0; i < all.length; i++) all[i] = i;
  return all;
}

/** Adds the weight of each draw that has an answer to its class. */
function weighted({ answers }: ProblemDraws, subset: Subset, weight: (draw: number) => number): Votes {
  const votes: Votes = new Map();
  for (let i = 0; i < subset.length; i++) {
    const draw = subset[i];
    const answer = answers[draw];
    if (answer >= 0) votes.set(answer, (votes.get(answer) ?? 0) + weight(draw));
  }
  return votes;
}

/** Self-consistency (Wang et al. 2022, arXiv 2203.11171): every draw with an answer has one vote. */
export function majorityVotes(draws: ProblemDraws, subset: Subset = allOf(draws)): Votes {
  return weighted(draws, subset, () => 1);
}

/** Weighted vote: each draw weighs exp(lpm), the length-normalised probability of its response. */
export function lengthNormalisedVotes(draws: ProblemDraws, subset: Subset = allOf(draws)): Votes {
  const lpm = column(draws.lpm, 'lpm');
  return weighted(draws, subset, (draw) => Math.exp(lpm[draw]));
}

/** Weighted vote: each draw weighs the probability of its response, relative to the most probable one. */
export function sequenceProbabilityVotes(draws: ProblemDraws, subset: Subset = allOf(draws)): Votes {
  const logprobs = column(draws.sequenceLogprobs, 'sequenceLogprobs');
  const largest = maximum(subset, logprobs);
  return weighted(draws, subset, (draw) => Math.exp(logprobs[draw] - largest));
}

/**
 * Borda vote (as in Kang et al. 2025, arXiv 2502.18581, over self-certainty): the surest of N draws weighs N^p, the next
 * (N - 1)^p, and so on; draws of equal confidence share the mean of their weights.
 *
 * @param power p: 0 is a majority vote, and large p is best-of-N
 */
export function bordaVotes(draws: ProblemDraws, subset: Subset = allOf(draws), power = 1): Votes {
  const confidence = column(draws.confidence, 'confidence');
  // Not by subtraction: two replies without an answer may both be minus infinity.
  const order = Array.from(subset).sort(
    (a, b) => Number(confidence[b] > confidence[a]) - Number(confidence[b] < confidence[a]),
  );
  const weightOf = new Map<number, number>();
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && confidence[order[end]] === confidence[order[start]]) end++;
    let sum = 0;
    for (let rank = start; rank < end; rank++) sum += (order.length - rank) ** power;
    for (let rank = start; rank < end; rank++) weightOf.set(order[rank], sum / (end - start));
    start = end;
  }
  return weighted(draws, subset, (draw) => weightOf.get(draw) as number);
}

/** Weighted vote: each draw weighs its confidence, which must not be negative. */
export function confidenceVotes(draws: ProblemDraws, subset: Subset = allOf(draws)): Votes {
  const confidence = column(draws.confidence, 'confidence');
  return weighted(draws, subset, (draw) => confidence[draw]);
}

/**
 * Perplexity consistency (Zhou et al. 2025, RPC, without its pruning): the weight of an answer is the total probability
 * of the *distinct* responses that give it, so that a response drawn twice counts once. Probabilities are taken relative
 * to the most probable response, so that long responses do not underflow to 0; only ratios of votes matter.
 */
export function perplexityConsistencyVotes(draws: ProblemDraws, subset: Subset = allOf(draws)): Votes {
  const distinct = distinctPaths(draws, subset);
  return sequenceProbabilityVotes(draws, distinct);
}

/** The draws of a subset whose response was not drawn before. */
export function distinctPaths({ paths }: ProblemDraws, subset: Subset): number[] {
  const ids = column(paths, 'paths');
  const seen = new Set<number>();
  return Array.from(subset).filter((draw) => {
    if (seen.has(ids[draw])) return false;
    seen.add(ids[draw]);
    return true;
  });
}

/**
 * The draw that is surest, as the only vote. Of equals each has one, and one of them is taken at random. Replies without
 * an answer do not count.
 */
export function bestOfVotes(draws: ProblemDraws, subset: Subset = allOf(draws)): Votes {
  const confidence = column(draws.confidence, 'confidence');
  const answered = Array.from(subset).filter((draw) => draws.answers[draw] >= 0);
  const best = maximum(answered, confidence);
  return weighted(
    draws,
    answered.filter((draw) => confidence[draw] === best),
    () => 1,
  );
}

export function maximum(subset: Subset, values: ArrayLike<number>): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < subset.length; i++) largest = Math.max(largest, values[subset[i]]);
  return largest;
}

/** A column that a method needs. @throws RangeError naming it when it is missing */
export function column<T>(values: T | undefined, name: keyof ProblemDraws): T {
  if (values === undefined) throw new RangeError(`the draws have no ${name}`);
  return values;
}
