import type { Verdict } from '@capo/samples';

/** One response to judge. */
export interface GradeRequest {
  response: string;
  /** The benchmark's reference answer. */
  gold: string;
}

/** The judgement of one response. */
export interface Grade {
  verdict: Verdict;
  /** The answer that was extracted from the response; null when there is none. */
  answer: string | null;
  /** The extraction rule that fired, or why there is no judgement. Goes into the sample's `verdictReason`. */
  reason: string;
}

/**
 * Judges responses against reference answers: the one interface of training reward and evaluation, of toy tasks and
 * real benchmarks. A grader never throws for what a response holds; its own failures are the verdicts `grader-error`
 * and `timeout`.
 */
export interface Grader {
  /** Name and version, kept with every sample: `toy-integer/1`. */
  readonly version: string;
  /** The grades of the requests, in their order. */
  grade(requests: readonly GradeRequest[]): Promise<Grade[]>;
  /** Frees workers and caches. */
  close(): Promise<void>;
}
