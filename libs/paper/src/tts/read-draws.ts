import { createHash } from 'node:crypto';
import { compareAnswers } from '@capo/benchmarks';
import { InputError, readSamples, type Sample, type Verdict } from '@capo/samples';
import { cachedEquality, clusterAnswers, type ProblemDraws } from '@capo/tts';

/** Which number of a sample is its confidence. */
export type ConfidenceField = 'confidence' | 'mean-logprob' | 'sum-logprob';

/** The draws of one problem in one run: what votes together. */
export interface NamedDraws extends ProblemDraws {
  run: string;
  benchmark: string;
  problemId: string;
}

/** What of a sample a vote needs; its texts are not kept. */
interface Draw {
  answer: string | null;
  verdict: Verdict;
  path: number;
  sum: number | null;
  mean: number | null;
  confidence: number | null;
  selfCertainty: number | null;
  tokens: number | null;
  trace: Float64Array | null;
  isGreedy: boolean;
}

export interface ReadDrawsOptions {
  /** By default `confidence` where every sample has one, and `mean-logprob` otherwise; a note says which. */
  confidence?: ConfidenceField | undefined;
  onWarning?: (message: string) => void;
}

/** The draws of every problem and run of sample files, and what a reader should know of them. */
export interface SampleDraws {
  problems: NamedDraws[];
  notes: string[];
}

/**
 * Reads sample files and puts the draws of each problem together, run by run. Answers are clustered by the grader's
 * equivalence, made transitive; all answers that the grader calls correct are one class, the right one. Columns that any
 * draw with an answer lacks are left out, so that a method that needs them is refused by name. Texts are not kept: memory
 * holds numbers, different answers, and the log-probabilities of tokens where they are recorded.
 *
 * @throws InputError for a bad file, or one without samples
 */
export async function readDraws(paths: readonly string[], options: ReadDrawsOptions): Promise<SampleDraws> {
  const groups = new Map<string, { name: Pick<NamedDraws, 'run' | 'benchmark' | 'problemId'>; draws: Draw[] }>();
  const pathIds = new Map<string, number>();
  for (const path of paths) {
    for await (const sample of readSamples(path, options.onWarning ? { onWarning: options.onWarning } : {})) {
      const { run, benchmark, problemId } = sample;
      const key = JSON.stringify([run, benchmark, problemId]);
      const group = groups.get(key) ?? { name: { run, benchmark, problemId }, draws: [] };
      groups.set(key, group);
      // A hash stands for the text, so that responses that are equal to each other are known and none is kept.
      const digest = createHash('sha256').update(key).update(sample.response).digest('base64');
      if (!pathIds.has(digest)) pathIds.set(digest, pathIds.size);
      group.draws.push(drawOf(sample, pathIds.get(digest) as number));
    }
  }
  if (groups.size === 0) throw new InputError(`${paths.join(', ')}: no samples.`, 'Give a file that holds some.');
  const all = [...groups.values()];
  const hasOwn = () => all.every(({ draws }) => draws.every(({ confidence: own }) => own !== null));
  const confidence = options.confidence ?? (hasOwn() ? 'confidence' : 'mean-logprob');
  const equal = cachedEquality(sameAnswer);
  let [ungraded, merged] = [0, 0];
  const problems = all.map(({ name, draws }) => {
    ungraded += draws.filter(({ verdict }) => verdict === 'grader-error' || verdict === 'timeout').length;
    const { columns, mergedClasses } = columnsOf(draws, equal, confidence);
    merged += mergedClasses;
    return { ...name, ...columns };
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

function drawOf({ answer, verdict, logprob, confidence, selfCertainty, tokens }: Sample, path: number): Draw {
  const trace = logprob?.perToken?.every((value) => value !== null) ? logprob.perToken : null;
  return {
    answer,
    verdict,
    path,
    sum: logprob?.sum ?? null,
    mean: logprob?.mean ?? null,
    confidence: confidence ?? null,
    selfCertainty: selfCertainty ?? null,
    tokens,
    trace: trace && Float64Array.from(trace as number[]),
    isGreedy: logprob?.temperature === 0,
  };
}

function columnsOf(draws: readonly Draw[], equal: (a: string, b: string) => boolean, confidence: ConfidenceField) {
  const answers = clusterAnswers(
    draws.map(({ answer }) => answer),
    equal,
  );
  const right = new Set<number>();
  for (const [i, { verdict }] of draws.entries()) if (verdict === 'correct' && answers[i] >= 0) right.add(answers[i]);
  const gold = right.size > 0 ? Math.min(...right) : -2;
  for (const [i, answer] of answers.entries()) if (right.has(answer)) answers[i] = gold;
  const columns: ProblemDraws = { answers, gold, paths: Int32Array.from(draws, ({ path }) => path) };
  // A reply without an answer has no vote, so that what it lacks is not missed: it is less sure than all others.
  const numbers = (of: (draw: Draw) => number | null) => {
    const values = draws.map((draw, i) => of(draw) ?? (answers[i] < 0 ? Number.NEGATIVE_INFINITY : null));
    return values.every((value) => value !== null) ? Float64Array.from(values) : undefined;
  };
  const sums = numbers(({ sum }) => sum);
  const means = numbers(({ mean }) => mean);
  const own = numbers((draw) => draw.confidence);
  const certainty = numbers(({ selfCertainty }) => selfCertainty);
  const surety = { confidence: own, 'mean-logprob': means, 'sum-logprob': sums }[confidence];
  if (sums) columns.sequenceLogprobs = sums;
  if (means) columns.lpm = means;
  if (surety) columns.confidence = surety;
  if (certainty) columns.selfCertainty = certainty;
  if (draws.every(({ tokens }) => tokens !== null))
    columns.tokens = Float64Array.from(draws, ({ tokens }) => tokens as number);
  const traces = draws.map(({ trace }, i) => trace ?? (answers[i] < 0 ? new Float64Array(0) : null));
  if (traces.every((trace) => trace !== null) && draws.some(({ trace }) => trace !== null))
    columns.tokenLogprobs = traces;
  if (draws.some(({ isGreedy }) => isGreedy))
    columns.greedy = Uint8Array.from(draws, ({ isGreedy }) => (isGreedy ? 1 : 0));
  return { columns, mergedClasses: Math.max(0, right.size - 1) };
}
