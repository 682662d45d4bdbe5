import type { Grader } from '@capo/benchmarks';
import {
  didYouMean,
  InputError,
  parseSample,
  readJsonl,
  SAMPLE_SCHEMA,
  type Sample,
  sampleId,
  type Verdict,
} from '@capo/samples';

/** The parts of a sample that a record's fields can be mapped to. */
export const IMPORT_FIELDS = [
  'problemId',
  'drawIndex',
  'prompt',
  'response',
  'gold',
  'answer',
  'verdict',
  'confidence',
  'tokens',
  'logprobSum',
  'logprobMean',
  'tokenLogprobs',
] as const;
export type ImportField = (typeof IMPORT_FIELDS)[number];

export interface ImportOptions {
  /** Which of the record's fields each part comes from. `problemId` and `response` or `answer` are needed. */
  map: Partial<Record<ImportField, string>>;
  run: string;
  benchmark: string;
  /** What the log-probabilities are. */
  semantics: 'raw' | 'processed';
  temperature: number;
  /** Judges records without a verdict. */
  grader: Grader;
}

/** What an imported file has, and what it lacks. */
export interface ImportSummary {
  samples: number;
  problems: number;
  verdicts: Record<Verdict, number>;
  /** Whether the verdicts are the origin's or our grader's. */
  judgedBy: 'origin' | 'grader';
  lacking: string[];
}

const BATCH = 256;

/**
 * Turns the records of any JSONL file into samples. What has no field in the record is null; a verdict that is not there
 * is the grader's, by the record's response and gold.
 *
 * @param write is given the samples, in order
 * @throws InputError with file:line for a record that lacks a mapped field, and for a mapping without what is needed
 */
export async function importSamples(
  path: string,
  options: ImportOptions,
  write: (samples: Sample[]) => void,
): Promise<ImportSummary> {
  checkMap(options.map);
  const draws = new Map<string, number>();
  const verdicts: Record<Verdict, number> = { correct: 0, wrong: 0, 'no-answer': 0, 'grader-error': 0, timeout: 0 };
  let samples = 0;
  let batch: Sample[] = [];
  const flush = async () => {
    const judged = options.map.verdict === undefined ? await judge(batch, options.grader) : batch;
    for (const { verdict } of judged) verdicts[verdict]++;
    samples += judged.length;
    write(judged);
    batch = [];
  };
  for await (const { value, where } of readJsonl(path)) {
    const record = (value ?? {}) as Record<string, unknown>;
    const problemId = String(field(record, options.map.problemId as string, where));
    const drawIndex = options.map.drawIndex
      ? Number(field(record, options.map.drawIndex, where))
      : (draws.get(problemId) ?? 0);
    draws.set(problemId, (draws.get(problemId) ?? 0) + 1);
    batch.push(sampleOf(record, where, problemId, drawIndex, options));
    if (batch.length === BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  if (samples === 0) throw new InputError(`${path}: no records.`);
  const { map } = options;
  const lacking = [
    ...(map.logprobSum === undefined && map.tokenLogprobs === undefined ? ['log-probabilities of responses'] : []),
    ...(map.tokenLogprobs === undefined ? ['log-probabilities of tokens'] : []),
    ...(map.confidence === undefined ? ['a confidence'] : []),
    ...(map.tokens === undefined && map.tokenLogprobs === undefined ? ['numbers of tokens'] : []),
  ];
  return {
    samples,
    problems: draws.size,
    verdicts,
    judgedBy: map.verdict === undefined ? 'grader' : 'origin',
    lacking,
  };
}

function checkMap(map: ImportOptions['map']): void {
  for (const name of Object.keys(map)) {
    if (!(IMPORT_FIELDS as readonly string[]).includes(name)) {
      throw new InputError(`A sample has no part "${name}".`, didYouMean(name, IMPORT_FIELDS));
    }
  }
  if (map.problemId === undefined)
    throw new InputError('problemId is not mapped.', 'Name the field that tells problems apart.');
  if (map.response === undefined && map.answer === undefined) {
    throw new InputError(
      'Neither response nor answer is mapped.',
      'A vote needs the answer, and the grader the response.',
    );
  }
  if (map.verdict === undefined && map.gold === undefined) {
    throw new InputError('Neither verdict nor gold is mapped.', 'Without one of them nothing can be right or wrong.');
  }
}

function sampleOf(
  record: Record<string, unknown>,
  where: string,
  problemId: string,
  drawIndex: number,
  options: ImportOptions,
): Sample {
  const { map, run, benchmark, semantics, temperature } = options;
  const get = (name: ImportField) => (map[name] === undefined ? undefined : field(record, map[name], where));
  const text = (name: ImportField) => {
    const value = get(name);
    return value === undefined || value === null ? null : String(value);
  };
  const number = (name: ImportField) => {
    const value = get(name);
    if (value === undefined || value === null) return null;
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw new InputError(`${where}: "${map[name]}" is no number.`);
    return value;
  };
  const perToken = get('tokenLogprobs') as (number | null)[] | undefined;
  const answer = text('answer') || null;
  const response = text('response') ?? answer ?? '';
  const tokens = number('tokens') ?? perToken?.length ?? null;
  const sum =
    number('logprobSum') ??
    (perToken ? perToken.reduce<number>((total, value) => total + (value ?? Number.NaN), 0) : null);
  const mean = number('logprobMean') ?? (sum !== null && tokens ? sum / tokens : null);
  const confidence = number('confidence');
  return parseSample(
    {
      schema: SAMPLE_SCHEMA,
      id: sampleId(run, benchmark, problemId, drawIndex),
      run,
      benchmark,
      problemId,
      drawIndex,
      prompt: text('prompt') ?? '',
      response,
      tokens,
      answer,
      gold: text('gold') ?? '',
      verdict: map.verdict === undefined ? 'grader-error' : verdictOf(get('verdict'), answer, map, where),
      verdictReason: map.verdict === undefined ? null : 'origin',
      logprob:
        sum === null && mean === null
          ? null
          : { sum, mean, ...(perToken && { perToken }), semantics, temperature, eosCounted: false },
      ...(map.confidence !== undefined && { confidence }),
      stop: 'unknown',
      sampler: 'import',
      seed: null,
      graderVersion: map.verdict === undefined ? '' : 'origin',
    },
    where,
  );
}

function verdictOf(value: unknown, answer: string | null, map: ImportOptions['map'], where: string): Verdict {
  if (value === true || value === 1 || value === 'correct') return 'correct';
  if (value === false || value === 0 || value === 'wrong')
    return map.answer !== undefined && answer === null ? 'no-answer' : 'wrong';
  if (value === 'no-answer' || value === 'grader-error' || value === 'timeout') return value;
  throw new InputError(
    `${where}: the verdict is ${JSON.stringify(value)}.`,
    'It must be true or false, 1 or 0, or a verdict.',
  );
}

async function judge(samples: readonly Sample[], grader: Grader): Promise<Sample[]> {
  const grades = await grader.grade(samples.map(({ response, gold }) => ({ response, gold })));
  return samples.map((sample, i) => ({
    ...sample,
    answer: grades[i].answer,
    verdict: grades[i].verdict,
    verdictReason: grades[i].reason,
    graderVersion: grader.version,
  }));
}

function field(record: Record<string, unknown>, name: string, where: string): unknown {
  let value: unknown = record;
  for (const part of name.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[part];
  if (value === undefined)
    throw new InputError(`${where}: there is no field "${name}".`, didYouMean(name, Object.keys(record)));
  return value;
}
