import { existsSync } from 'node:fs';
import { InputError, JsonlWriter, readSamples, repairTail, SAMPLE_SCHEMA, type Sample } from '@capo/samples';
import type { Drawn, DrawOptions, Policy } from '../policy.js';
import { type PlannedDraw, type PromptedProblem, planDraws } from './plan-draws.js';

/** What judges responses; the graders of `@capo/benchmarks` are such. */
export interface Judge {
  readonly version: string;
  grade(
    requests: readonly { response: string; gold: string }[],
  ): Promise<{ verdict: Sample['verdict']; answer: string | null; reason: string }[]>;
}

export interface CollectOptions {
  /** The name of the run, part of each sample's id. */
  run: string;
  seed: number;
  /** Responses to each problem. */
  draws: number;
  /** The file of samples that is continued. */
  path: string;
  draw: DrawOptions;
  onProgress?: ((done: number, total: number) => void) | undefined;
  onWarning?: ((message: string) => void) | undefined;
}

/** Responses that are judged at a time; more wait, so that a slow judge holds the sampling back and not the memory. */
const MAX_IN_JUDGEMENT = 64;

/**
 * The ids of the samples in a file that may not exist.
 *
 * @throws InputError for a sample of one of the problems that was asked or judged by another text: an edited problem
 * must not pass for the one that the samples belong to
 */
export async function finishedSamples(path: string, problems: readonly PromptedProblem[]): Promise<Set<string>> {
  const finished = new Set<string>();
  if (!existsSync(path)) return finished;
  const key = (item: { benchmark: string; problemId: string }) => JSON.stringify([item.benchmark, item.problemId]);
  const known = new Map(problems.map((problem) => [key(problem), problem]));
  for await (const sample of readSamples(path)) {
    const problem = known.get(key(sample));
    if (problem && (problem.prompt !== sample.prompt || problem.gold !== sample.gold)) {
      throw new InputError(
        `${path}: the sample "${sample.id}" has another prompt or reference answer than the problem has now.`,
        'Restore the problem, or begin a new run in another folder.',
      );
    }
    finished.add(sample.id);
  }
  return finished;
}

/**
 * Draws and judges what a file of samples lacks, and appends each sample as soon as it is judged. Killed at any moment
 * and run again, it asks only for what is not in the file: in the end each sample is there exactly once. Failures are
 * never written.
 *
 * @returns how many samples were there before and how many were added
 * @throws what the policy throws, after every response that came was written
 */
export async function collectSamples(
  policy: Policy,
  problems: readonly PromptedProblem[],
  judge: Judge,
  options: CollectOptions,
): Promise<{ before: number; added: number }> {
  // Before the ids are read, since the writer would cut off an unterminated last line even if it is a whole record.
  if (repairTail(options.path)) options.onWarning?.(`${options.path}: a last line that was cut off was removed.`);
  const finished = await finishedSamples(options.path, problems);
  const planned = new Map(planDraws(problems, options, finished).map((draw) => [draw.request.id, draw]));
  const total = problems.length * options.draws;
  const before = total - planned.size;
  if (planned.size === 0) return { before, added: 0 };

  const writer = new JsonlWriter(options.path);
  const judging = new Set<Promise<void>>();
  let added = 0;
  let failure: { error: unknown } | undefined;
  const finish = async (drawn: Drawn) => {
    const draw = planned.get(drawn.request.id) as PlannedDraw;
    const { response } = drawn.completion;
    const [grade] = await judge.grade([{ response, gold: draw.problem.gold }]);
    const { verdict, answer, reason } = grade;
    writer.append({
      ...sampleOf(policy.name, options, draw, drawn),
      answer,
      verdict,
      verdictReason: reason,
      graderVersion: judge.version,
    } satisfies Sample);
    added++;
    options.onProgress?.(before + added, total);
  };
  try {
    const requests = [...planned.values()].map(({ request }) => request);
    for await (const drawn of policy.sample(requests, options.draw)) {
      const task = finish(drawn)
        .catch((error) => {
          failure ??= { error };
        })
        .finally(() => judging.delete(task));
      judging.add(task);
      if (judging.size >= MAX_IN_JUDGEMENT) await Promise.race(judging);
      if (failure) throw failure.error;
    }
  } finally {
    await Promise.all(judging);
    writer.close();
  }
  if (failure) throw failure.error;
  return { before, added };
}

function sampleOf(sampler: string, { run }: CollectOptions, { problem, drawIndex }: PlannedDraw, drawn: Drawn) {
  const { response, tokens, logprob, rawLogprob, selfCertainty, stop, seed } = drawn.completion;
  return {
    schema: SAMPLE_SCHEMA,
    id: drawn.request.id,
    run,
    benchmark: problem.benchmark,
    problemId: problem.problemId,
    drawIndex,
    prompt: problem.prompt,
    response,
    tokens,
    gold: problem.gold,
    logprob,
    ...(rawLogprob && { rawLogprob }),
    ...(selfCertainty !== undefined && { selfCertainty }),
    stop,
    sampler,
    seed,
  } as const;
}
