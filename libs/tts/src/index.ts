/** The draws of one problem, and what a vote over them is expected to score. */
export { expectedAccuracy, type ProblemDraws, type Votes } from './draws.js';

/** Votes: self-consistency and perplexity consistency. */
export { majorityVotes, perplexityConsistencyVotes } from './votes.js';
