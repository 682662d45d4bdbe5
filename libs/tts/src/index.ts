/** The draws of one problem, and what a vote over them is expected to score. */
export {
  choose,
  drawnAccuracy,
  expectedAccuracy,
  leadersOf,
  type ProblemDraws,
  type Votes,
  voteShare,
} from './draws.js';

/** Classes of equivalent answers. */
export { cachedEquality, clusterAnswers } from './cluster-answers.js';

/** Votes over draws: majority, weighted, by rank, perplexity consistency, best-of-N. */
export {
  bestOfVotes,
  bordaVotes,
  confidenceVotes,
  lengthNormalisedVotes,
  majorityVotes,
  perplexityConsistencyVotes,
  type Subset,
  sequenceProbabilityVotes,
} from './votes.js';

/** Reasoning pruning and perplexity consistency: RPC. */
export { prunedPaths, rpcVotes } from './reasoning-pruning.js';
export { fitWeibullMixture, type Weibull, type WeibullMixture } from './weibull-mixture.js';

/** DeepConf: the confidence of traces, offline filtering, online stopping replayed. */
export { groupConfidences, type TraceConfidence, traceConfidence } from './trace-confidence.js';
export {
  type DeepConfOptions,
  deepConfVotes,
  type OnlineOptions,
  type OnlineReplay,
  replayOnline,
} from './deepconf.js';

/** Votes that stop early. */
export { leaderBeats, type StoppedVote, stopWhenConfident, stopWhenDecided } from './adaptive-stopping.js';

/** Expected accuracies by counting. */
export { bestOfExact, majorityExact, oracleAccuracy, singleDrawAccuracy } from './exact.js';

/** All methods, what they need, and what they are expected to score with n of M draws. */
export { type Decision, type Field, type Method, METHOD_DEFAULTS, type MethodOptions, methodsOf } from './methods.js';
export { type EstimateOptions, type Expectation, expectationOf } from './expected-accuracy.js';
