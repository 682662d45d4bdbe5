import { compareAnswers } from '@capo/benchmarks';
import { InputError, readSamples, type Sample } from '@capo/samples';
import { cachedEquality, clusterAnswers, type ProblemDraws } from '@capo/tts';

/** Which number of a sample is its confidence. */
export type ConfidenceField = 'confidence' | 'mean-logprob' | 'sum-logprob';

/** A problem's draws with what they belong to. */
export interface NamedDraws extends ProblemDraws {
  problemId: string;
  benchmark: string;
}

export interface ReadDrawsOptions {
  /** By default `confidence` where every sample has one, and `mean-logprob` otherwise; a note says which. */
  confidence?: ConfidenceField | undefined;
  onWarning?: (message: string) => void;
}

/** All problems of sample files, and what a reader should know of them. */
export interface SampleDraws {
  problems: NamedDraws[];
  notes: string[];
}

/**
 * Reads sample files and puts the draws of each problem together. Answers are clustered by the grader's equivalence, made
 * transitive; all answers that the grader calls correct are one class, the right one. Columns that any draw of a problem
 * lacks are left out, so that a method that needs them is refused by name.
 *
 * @throws InputError for a bad file, or one without samples
 */
export async function readDraws(paths: readonly string[], options: ReadDrawsOptions): Promise<SampleDraws> {
  const groups = new Map<string, Sample[]>();
  for (const path of paths) {
    for await (const sample of readSamples(path, options.onWarning ? { onWarning: options.onWarning } : {})) {
      const key = JSON.stringify([sample.benchmark, sample.problemId]);
      const group = groups.get(key);
      if (group) group.push(sample);
      else groups.set(key, [sample]);
    }
  }
  if (groups.size === 0) throw new InputError(`${paths.join(', ')}: no samples.`, 'Give a file that holds some.');
  const hasOwn = () => [...groups.values()].flat().every((sample) => typeof sample.confidence === 'number');
  const confidence = options.confidence ?? (hasOwn() ? 'confidence' : 'mean-logprob');
  const equal = cachedEquality(sameAnswer);
  let [ungraded, merged] = [0, 0];
  const problems = [...groups.values()].map((samples) => {
    ungraded += samples.filter(({ verdict }) => verdict === 'grader-error' || verdict === 'timeout').length;
    const { draws, mergedClasses } = drawsOf(samples, equal, confidence);
    merged += mergedClasses;
    return draws;
  });
  const notes = [`Confidence of a draw: ${confidence}.`];
  if (ungraded > 0)
    notes.push(
      `${ungraded} draws have no verdict because their grader failed; their answers vote, and are right only when an equal answer was judged right.`,
    );
  if (merged > 0)
    notes.push(
      `${merged} classes of answers were judged right without being found equal to each other; they count as one.`,
    );
  return { problems, notes };
}

/** The grader's equivalence of two answers; what it cannot compare is not equal. */
function sameAnswer(a: string, b: string): boolean {
  try {
    return compareAnswers(a, b).outcome === 'equal';
  } catch {
    return false;
  }
}

function drawsOf(samples: readonly Sample[], equal: (a: string, b: string) => boolean, confidence: ConfidenceField) {
  const answers = clusterAnswers(
    samples.map(({ answer }) => answer),
    equal,
  );
  const right = new Set<number>();
  for (const [i, { verdict }] of samples.entries()) if (verdict === 'correct' && answers[i] >= 0) right.add(answers[i]);
  const gold = right.size > 0 ? Math.min(...right) : -2;
  for (const [i, answer] of answers.entries()) if (right.has(answer)) answers[i] = gold;
  const pathIds = new Map<string, number>();
  const draws: NamedDraws = {
    problemId: samples[0].problemId,
    benchmark: samples[0].benchmark,
    answers,
    gold,
    paths: Int32Array.from(samples, ({ response }) => {
      if (!pathIds.has(response)) pathIds.set(response, pathIds.size);
      return pathIds.get(response) as number;
    }),
  };
  const numbers = (of: (sample: Sample) => number | null | undefined) => complete(samples.map(of));
  const sums = numbers(({ logprob }) => logprob?.sum);
  const means = numbers(({ logprob }) => logprob?.mean);
  const own = numbers((sample) => sample.confidence);
  const certainty = numbers((sample) => sample.selfCertainty);
  const tokens = numbers((sample) => sample.tokens);
  const traces = samples.map(({ logprob }) => logprob?.perToken && complete(logprob.perToken));
  const surety = { confidence: own, 'mean-logprob': means, 'sum-logprob': sums }[confidence];
  if (sums) draws.sequenceLogprobs = sums;
  if (means) draws.lpm = means;
  if (surety) draws.confidence = surety;
  if (certainty) draws.selfCertainty = certainty;
  if (tokens) draws.tokens = tokens;
  if (traces.every((trace) => trace !== undefined && trace !== null)) draws.tokenLogprobs = traces as Float64Array[];
  const greedy = Uint8Array.from(samples, ({ logprob }) => (logprob?.temperature === 0 ? 1 : 0));
  if (greedy.includes(1)) draws.greedy = greedy;
  return { draws, mergedClasses: Math.max(0, right.size - 1) };
}

/** The numbers as a column, or undefined when one is missing. */
function complete(values: readonly (number | null | undefined)[]): Float64Array | undefined {
  return values.every((value) => typeof value === 'number') ? Float64Array.from(values as number[]) : undefined;
}
