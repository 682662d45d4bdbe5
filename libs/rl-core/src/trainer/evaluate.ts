import { SAMPLE_SCHEMA, type Sample, sampleId, toJsonLine, writeFileAtomic } from '@capo/samples';
import type { Sampler } from '../parallel/compute.js';
import type { TokenisedProblem, TrainingTask } from '../tasks/task.js';
import { type Rollout, rollOut } from './rollout.js';
import { type SuiteMetrics, suiteMetrics } from './suite-metrics.js';

export interface EvaluationOptions {
  /** The run's name, kept with every sample. */
  run: string;
  seed: number;
  /** The training step, so that evaluations at different steps draw differently. */
  step: number;
  draws: number;
  temperature: number;
}

/** One line of `evaluations.jsonl`: one suite after that many steps. */
export interface EvaluationLine extends SuiteMetrics {
  step: number;
}

/** Draws and grades responses to every problem of every suite. */
export async function evaluateSuites(
  sampler: Sampler,
  task: TrainingTask,
  options: EvaluationOptions,
): Promise<{ lines: EvaluationLine[]; samples: Sample[] }> {
  const lines: EvaluationLine[] = [];
  const samples: Sample[] = [];
  for (const suite of Object.keys(task.suites)) {
    const drawn = await evaluateSuite(sampler, task, suite, options);
    lines.push({ step: options.step, ...suiteMetrics(suite, drawn) });
    samples.push(...drawn);
  }
  return { lines, samples };
}

/** Writes sample records to a JSONL file, atomically. */
export function writeSamples(path: string, samples: readonly Sample[]): void {
  writeFileAtomic(path, samples.map((sample) => `${toJsonLine(sample)}\n`).join(''));
}

async function evaluateSuite(
  sampler: Sampler,
  task: TrainingTask,
  suite: string,
  options: EvaluationOptions,
): Promise<Sample[]> {
  const problems = task.suites[suite];
  const { seed, step, draws, temperature } = options;
  const rollout = await rollOut(sampler, task, problems, {
    draws,
    temperature,
    streamOf: (problem, draw) => [seed, 'evaluation', step, problem.id, draw],
  });
  return rollout.drawn.map((_, i) => toSample(rollout, i, problems[Math.floor(i / draws)], suite, task, options));
}

function toSample(
  rollout: Rollout,
  index: number,
  problem: TokenisedProblem,
  benchmark: string,
  task: TrainingTask,
  { run, seed, draws, temperature }: EvaluationOptions,
): Sample {
  const drawIndex = index % draws;
  const { tokens, logprobs, stop } = rollout.drawn[index];
  const grade = rollout.grades[index];
  const sum = logprobs.reduce((total, value) => total + value, 0);
  return {
    schema: SAMPLE_SCHEMA,
    id: sampleId(run, benchmark, problem.id, drawIndex),
    run,
    benchmark,
    problemId: problem.id,
    drawIndex,
    prompt: problem.prompt,
    response: rollout.responses[index],
    tokens: tokens.length,
    answer: grade.answer,
    gold: problem.gold,
    verdict: grade.verdict,
    verdictReason: grade.reason,
    logprob: { sum, mean: sum / tokens.length, semantics: 'processed', temperature, eosCounted: true },
    stop,
    sampler: 'in-process',
    seed,
    graderVersion: task.grader.version,
  };
}
