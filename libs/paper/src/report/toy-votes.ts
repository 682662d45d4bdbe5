import type { Sample } from '@capo/samples';
import { expectedAccuracy, majorityVotes, type ProblemDraws, perplexityConsistencyVotes } from '@capo/tts';

/** Accuracy on one suite when all draws of a problem vote. */
export interface SuiteVotes {
  suite: string;
  majority: number;
  perplexityConsistency: number;
}

/** The votes of every suite of a run's samples. Toy answers are integers: equal texts are equal answers. */
export function suiteVotes(samples: readonly Sample[]): SuiteVotes[] {
  const suites = groupBy(samples, ({ benchmark }) => benchmark);
  return [...suites].map(([suite, members]) => {
    const problems = [...groupBy(members, ({ problemId }) => problemId).values()].map(drawsOf);
    const mean = (votes: typeof majorityVotes) =>
      problems.reduce((sum, draws) => sum + expectedAccuracy(votes(draws), draws.gold), 0) / problems.length;
    return { suite, majority: mean(majorityVotes), perplexityConsistency: mean(perplexityConsistencyVotes) };
  });
}

function drawsOf(samples: readonly Sample[]): ProblemDraws {
  const answerIds = idsOf(samples.map(({ answer }) => answer));
  const pathIds = idsOf(samples.map(({ response }) => response));
  return {
    answers: Int32Array.from(samples, ({ answer }) => (answer === null ? -1 : (answerIds.get(answer) as number))),
    sequenceLogprobs: Float64Array.from(samples, ({ logprob }) => logprob?.sum ?? Number.NEGATIVE_INFINITY),
    paths: Int32Array.from(samples, ({ response }) => pathIds.get(response) as number),
    gold: answerIds.get(samples[0].gold) ?? -2,
  };
}

function idsOf<T>(values: readonly T[]): Map<T, number> {
  return new Map([...new Set(values)].map((value, index) => [value, index]));
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
