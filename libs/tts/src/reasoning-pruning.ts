import type { ProblemDraws, Votes } from './draws.js';
import { allOf, column, distinctPaths, maximum, perplexityConsistencyVotes, type Subset } from './votes.js';
import { fitWeibullMixture, highPosterior } from './weibull-mixture.js';

/**
 * Reasoning pruning (RPC): the distinct responses with an answer that a mixture of two Weibull distributions over their probabilities
 * assigns to the higher component, and every response at least as probable as the mean. Nothing is pruned where no
 * mixture can be fitted: fewer than four distinct responses, or all equally probable.
 *
 * Probabilities are relative to the most probable response: a Weibull mixture is the same for any unit.
 */
export function prunedPaths(draws: ProblemDraws, subset: Subset = allOf(draws)): number[] {
  const logprobs = column(draws.sequenceLogprobs, 'sequenceLogprobs');
  const paths = distinctPaths(draws, subset).filter((draw) => draws.answers[draw] >= 0);
  const largest = maximum(paths, logprobs);
  // Below the smallest double a probability would be 0, which no Weibull distribution gives.
  const values = paths.map((draw) => Math.max(Math.exp(logprobs[draw] - largest), 1e-300));
  const mixture = fitWeibullMixture(values);
  if (!mixture) return paths;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return paths.filter((_draw, i) => values[i] >= mean || highPosterior(values[i], mixture) >= 0.5);
}

/** RPC (Zhou et al. 2025): reasoning pruning, then perplexity consistency over what is left. */
export function rpcVotes(draws: ProblemDraws, subset: Subset = allOf(draws)): Votes {
  return perplexityConsistencyVotes(draws, prunedPaths(draws, subset));
}
