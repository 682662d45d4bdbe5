import type { ProblemDraws, Votes } from './draws.js';

/** Self-consistency (Wang et al. 2022, arXiv 2203.11171): every draw with an answer has one vote. */
export function majorityVotes({ answers }: ProblemDraws): Votes {
  const votes: Votes = new Map();
  for (const answer of answers) if (answer >= 0) votes.set(answer, (votes.get(answer) ?? 0) + 1);
  return votes;
}

/**
 * Perplexity consistency (Zhou et al. 2025, RPC, without its pruning): the weight of an answer is the total probability
 * of the *distinct* responses that give it, so that a response drawn twice counts once. Probabilities are taken relative
 * to the most probable response, so that long responses do not underflow to 0; only ratios of votes matter.
 */
export function perplexityConsistencyVotes({ answers, sequenceLogprobs, paths }: ProblemDraws): Votes {
  const votes: Votes = new Map();
  const largest = Math.max(...sequenceLogprobs);
  const seen = new Set<number>();
  for (let i = 0; i < answers.length; i++) {
    if (answers[i] < 0 || seen.has(paths[i])) continue;
    seen.add(paths[i]);
    votes.set(answers[i], (votes.get(answers[i]) ?? 0) + Math.exp(sequenceLogprobs[i] - largest));
  }
  return votes;
}
