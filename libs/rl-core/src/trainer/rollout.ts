import type { Grade } from '@capo/benchmarks';
import type { DrawnSequence, Sequence } from '@capo/model';
import { collectRewards } from '../advantages/group-filter.js';
import type { NamedDraw, Sampler, StreamName } from '../parallel/compute.js';
import type { TokenisedProblem, TrainingTask } from '../tasks/task.js';
import { gradeResponses } from './grade-responses.js';

/** Responses drawn for some problems, `draws` for each, problem after problem; one entry per response. */
export interface Rollout {
  problems: readonly TokenisedProblem[];
  draws: number;
  drawn: DrawnSequence[];
  grades: Grade[];
  responses: string[];
  /** 1 correct, 0 wrong or no answer, NaN where the grader failed. */
  rewards: Float64Array;
  /** Length-normalised log-probability, the end token counted when it was drawn; NaN for a response without tokens. */
  lpm: Float64Array;
}

export interface RolloutOptions {
  draws: number;
  temperature: number;
  /**
   * The stream of one draw of the problem at that place. Its name must hold all that makes the draw different from
   * others; the place does where a problem may occur twice.
   */
  streamOf(problem: TokenisedProblem, draw: number, place: number): StreamName;
}

/** Draws and grades responses. */
export async function rollOut(
  sampler: Sampler,
  task: TrainingTask,
  problems: readonly TokenisedProblem[],
  options: RolloutOptions,
): Promise<Rollout> {
  const requests: NamedDraw[] = problems.flatMap((problem, place) =>
    Array.from({ length: options.draws }, (_, draw) => ({
      prompt: problem.promptTokens,
      stream: options.streamOf(problem, draw, place),
    })),
  );
  const drawn = await sampler(requests, {
    maxTokens: task.maxResponseTokens,
    temperature: options.temperature,
    endTokens: task.endTokens,
  });
  const responses = drawn.map(({ tokens }) => task.decode(tokens));
  const goldOf = (index: number) => problems[Math.floor(index / options.draws)].gold;
  const grades = await gradeResponses(
    task.grader,
    responses.map((response, i) => ({ response, gold: goldOf(i) })),
  );
  return {
    problems,
    draws: options.draws,
    drawn,
    grades,
    responses,
    rewards: collectRewards(grades.length, (i) => rewardOf(grades[i])),
    lpm: Float64Array.from(drawn, ({ logprobs }) => meanOf(logprobs)),
  };
}

/** The verifiable reward of a grade: 1 or 0, or NaN when the grader failed and nothing is known. */
export function rewardOf({ verdict }: Grade): number {
  if (verdict === 'grader-error' || verdict === 'timeout') return Number.NaN;
  return verdict === 'correct' ? 1 : 0;
}

/** The mean; NaN of nothing. */
export function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}

/** The rollout's prompts and responses, to be scored or learnt. */
export function sequencesOf(rollout: Rollout): Sequence[] {
  return rollout.drawn.map(({ tokens }, i) => ({
    prompt: rollout.problems[Math.floor(i / rollout.draws)].promptTokens,
    response: tokens,
  }));
}
