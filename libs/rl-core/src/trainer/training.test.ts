import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useBackend } from '@capo/model';
import { loadSamples, RunFolder } from '@capo/samples';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toyTask } from '../tasks/toy.js';
import { trainBaseModel } from './base-model.js';
import { type TrainConfig, trainSchema } from './config.js';
import type { EvaluationLine } from './evaluate.js';
import { loadWeights } from './model-file.js';
import { toyPolicySource } from './policy-source.js';
import { readStepLog } from './step-log.js';
import type { StepMetrics } from './step-metrics.js';
import { problemsOfStep } from './step-problems.js';
import { trainPolicy } from './train-policy.js';

/** Small enough for a second, trained enough to be right now and then. */
const config: TrainConfig = trainSchema.parse({
  base: {
    task: { trainingPool: 12, validation: 4, suite: 4 },
    model: { hidden_size: 16, intermediate_size: 32, num_attention_heads: 2, num_key_value_heads: 1 },
    steps: 12,
    batchSize: 8,
    checkpointEvery: 4,
  },
  // Thresholds by hand, since so small a base model may never be right.
  method: { name: 'capo', tau: 0.1, mask: { low: 1.01, high: 50 } },
  steps: 5,
  promptsPerStep: 4,
  groupSize: 4,
  minibatchPrompts: 2,
  evaluateEvery: 2,
  evaluationDraws: 3,
  checkpointEvery: 2,
});

let root: string;
beforeAll(async () => {
  await useBackend('wasm');
  root = mkdtempSync(join(tmpdir(), 'capo-training-'));
});
afterAll(() => rmSync(root, { recursive: true }));

const sourceOf = (base: ReadonlyMap<string, Float32Array>) =>
  toyPolicySource(config.base, toyTask(config.base.task), base, 3);

/** Files that hold the time, or how often a run was stopped. */
const NEVER_THE_SAME = /^(?:manifest\.json|timings\.jsonl|tensorboard\b.*|checkpoints\b.*)$/;

/** The bytes of every file of a folder that must not depend on how often the run was stopped. */
function contents(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((name) => !NEVER_THE_SAME.test(name));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name)).toString('base64')]));
}

/** Runs to the end, stopping and starting again after the given numbers of progress reports. */
async function withStops(
  folderRoot: string,
  kind: 'base' | 'train',
  stops: number[],
  base?: Map<string, Float32Array>,
) {
  const task = toyTask(config.base.task);
  for (const stop of [...stops, Number.POSITIVE_INFINITY]) {
    const open = kind === 'base' ? config.base : config;
    const folder = RunFolder.open(folderRoot, kind, open, 3, 'wasm');
    const controller = new AbortController();
    let reports = 0;
    const hooks = {
      signal: controller.signal,
      onProgress: () => {
        if (++reports === stop) controller.abort();
      },
    };
    const run =
      kind === 'base'
        ? trainBaseModel(folder, config.base, task, hooks)
        : trainPolicy(folder, config, task, sourceOf(base ?? new Map()), hooks);
    if (stop === Number.POSITIVE_INFINITY) await run;
    else await expect(run).rejects.toThrow('Stopped');
    if (folder.finished) return folder;
  }
  throw new Error('the run did not finish');
}

describe('training', () => {
  it('ends in the same bytes when it is stopped and resumed', async () => {
    const base = await withStops(join(root, 'a'), 'base', []);
    const baseStopped = await withStops(join(root, 'b'), 'base', [3, 2, 5]);
    expect(contents(baseStopped.path)).toEqual(contents(base.path));
    const weights = loadWeights(base.path);
    const run = await withStops(join(root, 'a'), 'train', [], weights);
    const stopped = await withStops(join(root, 'b'), 'train', [1, 2, 1], weights);
    expect(contents(stopped.path)).toEqual(contents(run.path));
  });

  it('ends in the same bytes when it was killed after its last checkpoint', async () => {
    const weights = loadWeights((await withStops(join(root, 'a'), 'base', [])).path);
    const whole = await withStops(join(root, 'a'), 'train', [], weights);
    // A killed process leaves log lines that no checkpoint knows of, the last of them cut off.
    const partial = RunFolder.open(join(root, 'killed'), 'train', config, 3, 'wasm');
    const controller = new AbortController();
    let steps = 0;
    await trainPolicy(partial, config, toyTask(config.base.task), sourceOf(weights), {
      signal: controller.signal,
      onProgress: () => {
        if (++steps === 2) controller.abort();
      },
    }).catch(() => {});
    for (const name of ['metrics.jsonl', 'evaluations.jsonl']) {
      const lines = readFileSync(partial.file(name), 'utf8');
      writeFileSync(partial.file(name), `${lines}{"step":2,"reward":0.5}\n{"step":3,"rew`);
    }
    const resumed = await withStops(join(root, 'killed'), 'train', [], weights);
    expect(contents(resumed.path)).toEqual(contents(whole.path));
  });

  it('logs every step and evaluates on schedule', async () => {
    const weights = loadWeights((await withStops(join(root, 'a'), 'base', [])).path);
    const run = await withStops(join(root, 'a'), 'train', [], weights);
    const metrics = readStepLog<StepMetrics>(run.file('metrics.jsonl'));
    expect(metrics.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4]);
    for (const line of metrics) {
      expect(line.entropy).toBeGreaterThan(0);
      expect(line.shareWithoutSignal).toBeGreaterThanOrEqual(0);
      expect(line.ungraded).toBe(0);
    }
    const evaluations = readStepLog<EvaluationLine>(run.file('evaluations.jsonl'));
    expect([...new Set(evaluations.map(({ step }) => step))]).toEqual([0, 2, 4, 5]);
    expect(evaluations.filter(({ step }) => step === 5)).toHaveLength(6);
    // Six suites of four problems, three draws each.
    const samples = await loadSamples([run.file('samples.jsonl')]);
    expect(samples).toHaveLength(72);
    expect(samples[0].logprob?.mean).toBeCloseTo(
      (samples[0].logprob?.sum as number) / (samples[0].tokens as number),
      9,
    );
  });

  it('refuses a checkpoint of another configuration and one that is damaged', async () => {
    const weights = loadWeights((await withStops(join(root, 'a'), 'base', [])).path);
    const other: TrainConfig = { ...config, steps: 6 };
    const folder = RunFolder.open(join(root, 'a'), 'train', config, 3, 'wasm');
    const target = RunFolder.open(join(root, 'other'), 'train', other, 3, 'wasm');
    cpSync(folder.file('checkpoints'), target.file('checkpoints'), { recursive: true });
    const task = toyTask(config.base.task);
    await expect(trainPolicy(target, other, task, sourceOf(weights))).rejects.toThrow(
      'belongs to another configuration',
    );
    for (const name of readdirSync(target.file('checkpoints'))) {
      writeFileSync(join(target.file('checkpoints'), name), 'garbage');
    }
    await expect(trainPolicy(target, other, task, sourceOf(weights))).rejects.toThrow('not a safetensors file');
  });

  it('refuses an empty training pool', async () => {
    const folder = RunFolder.open(join(root, 'empty'), 'train', config, 3, 'wasm');
    const task = { ...toyTask(config.base.task), trainingPool: [] };
    await expect(trainPolicy(folder, config, task, sourceOf(new Map()))).rejects.toThrow(
      'training pool has no problems',
    );
    expect(trainSchema.safeParse({ method: { name: 'grpo' }, base: { task: { trainingPool: 0 } } }).success).toBe(
      false,
    );
  });
});

describe('problemsOfStep', () => {
  it('goes through the pool once per epoch, in an order that depends on seed and epoch only', () => {
    const pool = toyTask(config.base.task).trainingPool;
    const firstEpoch = [0, 1, 2].flatMap((step) => problemsOfStep(pool, step, 4, 9));
    expect(new Set(firstEpoch).size).toBe(12);
    const secondEpoch = [3, 4, 5].flatMap((step) => problemsOfStep(pool, step, 4, 9));
    expect(new Set(secondEpoch).size).toBe(12);
    expect(secondEpoch.map(({ id }) => id)).not.toEqual(firstEpoch.map(({ id }) => id));
    expect(problemsOfStep(pool, 4, 4, 9)).toEqual(secondEpoch.slice(4, 8));
    // A step may cross the end of an epoch, and a pool may be smaller than a step.
    expect(problemsOfStep(pool, 1, 9, 9)).toHaveLength(9);
    expect(problemsOfStep(pool.slice(0, 3), 0, 8, 9)).toHaveLength(8);
  });
});
