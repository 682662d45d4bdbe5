import { stopWhenConfident, stopWhenDecided } from './adaptive-stopping.js';
import { type DeepConfOptions, deepConfVotes, replayOnline } from './deepconf.js';
import type { ProblemDraws, Votes } from './draws.js';
import { bestOfExact, majorityExact, oracleAccuracy, singleDrawAccuracy } from './exact.js';
import { rpcVotes } from './reasoning-pruning.js';
import {
  bestOfVotes,
  bordaVotes,
  confidenceVotes,
  lengthNormalisedVotes,
  majorityVotes,
  perplexityConsistencyVotes,
  type Subset,
  sequenceProbabilityVotes,
} from './votes.js';

/** The columns that a method needs of the draws, beside answers. */
export type Field = Exclude<keyof ProblemDraws, 'answers' | 'gold'>;

/** What a method makes of some draws. */
export interface Decision {
  votes: Votes;
  /** The answer is one of the votes at random, each as likely as the others, and not the leader. */
  isDrawn?: boolean;
  /** Tokens that it spends, where that is not the sum over the draws. */
  tokens?: number;
  /** Draws that it spends, where that is not all of them. */
  drawn?: number;
}

/** A way to spend samples. */
export interface Method {
  name: string;
  /** What it does, in one line. */
  title: string;
  needs: readonly Field[];
  /** Why these draws cannot be used although nothing is missing; null when they can. */
  refuses?(draws: readonly ProblemDraws[]): string | null;
  /** Whether its result depends on the order of the draws. */
  ordered?: boolean;
  /** What the draws of a subset lead to. */
  decide(draws: ProblemDraws, subset: Subset): Decision;
  /** The expected accuracy over all subsets of n, where a formula gives it. */
  exact?(draws: ProblemDraws, n: number): number;
}

export interface MethodOptions {
  /** Tokens of a group of DeepConf. */
  window: number;
  /** p of the Borda vote. */
  bordaPower: number;
  /** Draws of DeepConf's warm-up. */
  warmup: number;
}

export const METHOD_DEFAULTS: MethodOptions = { window: 2048, bordaPower: 1, warmup: 16 };

/** Every method, in the order in which tables show them. */
export function methodsOf({ window, bordaPower, warmup }: MethodOptions = METHOD_DEFAULTS): Method[] {
  const deepConf = (confidence: DeepConfOptions['confidence'], keep: number): Method => ({
    name: `deepconf-${confidence}-${Math.round(100 * keep)}`,
    title: `the surest ${Math.round(100 * keep)} % of traces by ${confidence} confidence vote, weighted`,
    needs: ['tokenLogprobs'],
    decide: (draws, subset) => ({ votes: deepConfVotes(draws, subset, { confidence, keep, window }) }),
  });
  const online = (keep: number): Method => ({
    name: `deepconf-online-${Math.round(100 * keep)}`,
    title: `traces are stopped when a group falls below the warm-up's ${Math.round(100 * keep)} % threshold`,
    needs: ['tokenLogprobs'],
    ordered: true,
    decide: (draws, subset) => replayOnline(draws, subset, { window, warmup, keep }),
  });
  const vote = (
    name: string,
    title: string,
    needs: readonly Field[],
    votes: (d: ProblemDraws, s: Subset) => Votes,
  ): Method => ({
    name,
    title,
    needs,
    decide: (draws, subset) => ({ votes: votes(draws, subset) }),
  });
  return [
    {
      name: 'greedy',
      title: 'the draw at temperature 0',
      needs: ['greedy'],
      decide: (draws) => ({ votes: majorityVotes(draws, greedyDraws(draws)), isDrawn: true, drawn: 1 }),
      exact: (draws) => {
        const chosen = greedyDraws(draws);
        return chosen.filter((draw) => draws.answers[draw] === draws.gold).length / chosen.length;
      },
    },
    {
      name: 'single',
      title: 'one draw',
      needs: [],
      decide: (draws, subset) => ({ votes: majorityVotes(draws, [subset[0]]), drawn: 1 }),
      exact: (draws) => singleDrawAccuracy(draws),
    },
    { ...vote('majority', 'self-consistency: the most frequent answer', [], majorityVotes), exact: majorityExact },
    vote('weighted-lpm', 'vote weighted by exp(lpm)', ['lpm'], lengthNormalisedVotes),
    vote('weighted-sequence', 'vote weighted by sequence probability', ['sequenceLogprobs'], sequenceProbabilityVotes),
    {
      ...vote('weighted-confidence', 'vote weighted by confidence', ['confidence'], confidenceVotes),
      refuses: (all) =>
        all.some(({ answers, confidence }) => answers.some((answer, i) => answer >= 0 && (confidence?.[i] ?? 0) < 0))
          ? 'a confidence is negative, which is no weight (borda goes by rank)'
          : null,
    },
    vote('borda', 'Borda vote by rank of confidence', ['confidence'], (d, s) => bordaVotes(d, s, bordaPower)),
    vote('self-certainty', 'Borda vote by rank of self-certainty', ['selfCertainty'], (d, s) =>
      bordaVotes({ ...d, confidence: d.selfCertainty as Float64Array }, s, bordaPower),
    ),
    vote(
      'perplexity-consistency',
      'total probability of distinct responses',
      ['sequenceLogprobs', 'paths'],
      perplexityConsistencyVotes,
    ),
    vote('rpc', 'reasoning pruning, then perplexity consistency', ['sequenceLogprobs', 'paths'], rpcVotes),
    {
      name: 'best-of-n',
      title: 'the surest draw',
      needs: ['confidence'],
      decide: (draws, subset) => ({ votes: bestOfVotes(draws, subset), isDrawn: true }),
      exact: bestOfExact,
    },
    ...(['mean', 'tail', 'lowest-group', 'bottom-groups'] as const).map((confidence) => deepConf(confidence, 0.1)),
    deepConf('lowest-group', 0.9),
    online(0.1),
    online(0.9),
    {
      name: 'stop-when-decided',
      title: 'majority vote that stops when the leader cannot be caught',
      needs: [],
      ordered: true,
      decide: stopWhenDecided,
    },
    {
      name: 'adaptive-consistency',
      title: 'majority vote that stops when the leader leads with probability 0.95',
      needs: [],
      ordered: true,
      decide: (draws, subset) => stopWhenConfident(draws, subset),
    },
    {
      name: 'oracle',
      title: 'pass@N: right if any draw is, the ceiling',
      needs: [],
      decide: (draws, subset) => ({ votes: oracleVotes(draws, subset) }),
      exact: oracleAccuracy,
    },
  ];
}

function greedyDraws({ greedy }: ProblemDraws): number[] {
  return [...(greedy ?? []).keys()].filter((draw) => greedy?.[draw] === 1);
}

function oracleVotes(draws: ProblemDraws, subset: Subset): Votes {
  const right = Array.from(subset).filter((draw) => draws.answers[draw] === draws.gold);
  return majorityVotes(draws, right);
}
