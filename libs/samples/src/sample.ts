import { z } from 'zod';
import { InputError } from './errors.js';

/** The version of the sample record. A reader refuses a version that it does not know. */
export const SAMPLE_SCHEMA = 'capo.sample/1';

/**
 * What the grader found. Only `correct` and `wrong` are judgements of the answer; `no-answer` is a reply without one
 * (it counts as not correct); `grader-error` and `timeout` are failures of the grader, are counted in every report,
 * and never pass for `wrong`.
 */
export const VERDICTS = ['correct', 'wrong', 'no-answer', 'grader-error', 'timeout'] as const;
export type Verdict = (typeof VERDICTS)[number];

const logprobSchema = z
  .strictObject({
    /** Sum of the log-probabilities of the response tokens, in nats. */
    sum: z.number().nullable(),
    /** The paper's `lpm`: the sum divided by the number of tokens. Null for a reply without tokens. */
    mean: z.number().nullable(),
    /** One log-probability per response token. */
    perToken: z.array(z.number().nullable()).optional(),
    /** `raw`: of the model's own distribution; `processed`: after temperature and truncation. */
    semantics: z.enum(['raw', 'processed']),
    temperature: z.number().nonnegative(),
    /** Whether the end token's log-probability is part of sum and mean. */
    eosCounted: z.boolean(),
    /** Why a value is null. */
    reason: z.string().optional(),
  })
  .nullable();

/**
 * One drawn response with its verdict and log-probabilities: the one interchange format. Every metric, vote, table
 * and figure is computed from such records, so that anything can be computed again without a model.
 */
export const sampleSchema = z.strictObject({
  schema: z.literal(SAMPLE_SCHEMA),
  /** Unique within a file; made of run, benchmark, problem and draw. */
  id: z.string().min(1),
  run: z.string(),
  benchmark: z.string(),
  problemId: z.string(),
  drawIndex: z.int().nonnegative(),
  prompt: z.string(),
  response: z.string(),
  /** The number of response tokens, the end token included when it was drawn. */
  tokens: z.int().nonnegative().nullable(),
  /** The extracted answer; null when there is none. */
  answer: z.string().nullable(),
  gold: z.string(),
  verdict: z.enum(VERDICTS),
  /** The rule that extracted the answer, or why there is no judgement. */
  verdictReason: z.string().nullable(),
  logprob: logprobSchema,
  /** Under the model's own distribution, where `logprob` is under the processed one and both are known. */
  rawLogprob: logprobSchema.optional(),
  /** A confidence that is not a log-probability, for instance a reward model's score. Higher means surer. */
  confidence: z.number().nullable().optional(),
  /** Mean over tokens of the divergence of the uniform distribution from the model's own, in nats (self-certainty). */
  selfCertainty: z.number().nullable().optional(),
  /** Why the sampler stopped: an end token, the length limit, a stop string. */
  stop: z.enum(['eos', 'length', 'stop-string', 'unknown']),
  sampler: z.string(),
  seed: z.number().nullable(),
  graderVersion: z.string(),
});

export type Sample = z.infer<typeof sampleSchema>;

/** The id that a sample of that run, benchmark, problem and draw has. */
export function sampleId(run: string, benchmark: string, problemId: string, drawIndex: number): string {
  return `${run}/${benchmark}/${problemId}#${drawIndex}`;
}

/** Checks one record. `where` (file:line) opens the message of the error. */
export function parseSample(value: unknown, where: string): Sample {
  const result = sampleSchema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const detail =
    issue.code === 'unrecognized_keys' ? `unknown key "${issue.keys[0]}"` : `${issue.path.join('.')}: ${issue.message}`;
  throw new InputError(`${where}: not a sample record: ${detail}`, 'See docs/samples.md for the format.');
}
