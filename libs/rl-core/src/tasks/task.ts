import type { Grader, Problem } from '@capo/benchmarks';
import type { Sequence } from '@capo/model';
import type { RandomStream } from '@capo/samples';

/** A problem with its prompt as token ids. */
export interface TokenisedProblem extends Problem {
  promptTokens: Int32Array;
}

/** What a trainer needs to know of a task: problems as tokens, responses as text, and a grader. */
export interface TrainingTask {
  vocabSize: number;
  endTokens: ReadonlySet<number>;
  /** The most response tokens that a problem of the task needs. */
  maxResponseTokens: number;
  /** The prompts of reinforcement learning. Not empty. */
  trainingPool: readonly TokenisedProblem[];
  validation: readonly TokenisedProblem[];
  suites: Readonly<Record<string, readonly TokenisedProblem[]>>;
  /** The text of response tokens, as the grader reads it. */
  decode(tokens: ArrayLike<number>): string;
  /** One supervised text. */
  text(random: RandomStream): Sequence;
  grader: Grader;
}
