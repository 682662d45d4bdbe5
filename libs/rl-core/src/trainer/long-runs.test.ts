import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useBackend } from '@capo/model';
import { RunFolder, stream } from '@capo/samples';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toyTask } from '../tasks/toy.js';
import { trainBaseModel } from './base-model.js';
import { bestSoFar, VALIDATION } from './best-policy.js';
import { type TrainConfig, trainSchema } from './config.js';
import type { EvaluationLine } from './evaluate.js';
import { loadWeights } from './model-file.js';
import { toyPolicySource } from './policy-source.js';
import { readStepLog } from './step-log.js';
import type { StepMetrics } from './step-metrics.js';
import { trainPolicy } from './train-policy.js';

/** Trained just enough to be right now and then, so that groups carry a signal. */
const BASE = {
  task: { trainingPool: 24, validation: 4, suite: 2 },
  model: { hidden_size: 32, intermediate_size: 64, num_attention_heads: 2, num_key_value_heads: 2 },
  steps: 300,
  batchSize: 32,
  evaluationDraws: 2,
};
const configOf = (more: object = {}): TrainConfig =>
  trainSchema.parse({
    base: BASE,
    method: { name: 'grpo' },
    steps: 8,
    promptsPerStep: 4,
    groupSize: 4,
    minibatchPrompts: 2,
    evaluateEvery: 2,
    evaluationDraws: 2,
    checkpointEvery: 2,
    ...more,
  });

let root: string;
let weights: Map<string, Float32Array>;
beforeAll(async () => {
  await useBackend('wasm');
  root = mkdtempSync(join(tmpdir(), 'capo-long-runs-'));
  const { base } = configOf();
  const folder = RunFolder.open(root, 'base-model', base, 1, 'wasm');
  await trainBaseModel(folder, base, toyTask(base.task));
  weights = loadWeights(folder.path);
}, 60_000);
afterAll(() => rmSync(root, { recursive: true }));

async function train(config: TrainConfig, name = 'runs'): Promise<RunFolder> {
  const folder = RunFolder.open(join(root, name), 'train', config, 1, 'wasm');
  const task = toyTask(config.base.task);
  await trainPolicy(folder, config, task, toyPolicySource(config.base, task, weights, 1));
  return folder;
}

describe('a run', () => {
  it('keeps the last checkpoints only, and goes on from an older one when the newest is damaged', async () => {
    const config = configOf({ keepCheckpoints: 2 });
    const whole = await train(config);
    const names = readdirSync(whole.file('checkpoints')).sort();
    expect(names).toEqual(['step-000006.safetensors', 'step-000008.safetensors']);
    const model = readFileSync(whole.file('model.safetensors'));
    writeFileSync(join(whole.file('checkpoints'), names[1]), 'damaged');
    const task = toyTask(config.base.task);
    await trainPolicy(whole, config, task, toyPolicySource(config.base, task, weights, 1));
    expect(readFileSync(whole.file('model.safetensors')).equals(model)).toBe(true);
  });

  it('keeps the best policy on the validation problems', async () => {
    const folder = await train(configOf({ best: { metric: 'accuracy' }, learningRate: 5e-3 }), 'best');
    const lines = readStepLog<EvaluationLine>(folder.file('evaluations.jsonl')).filter(
      ({ suite }) => suite === VALIDATION,
    );
    expect(lines.map(({ step }) => step)).toEqual([0, 2, 4, 6, 8]);
    const best = JSON.parse(readFileSync(folder.file('best.json'), 'utf8'));
    expect(best.value).toBe(Math.max(...lines.map(({ accuracy }) => accuracy as number)));
    expect(lines.find(({ step }) => step === best.step)?.accuracy).toBe(best.value);
    expect(loadWeights(folder.file('best')).size).toBe(weights.size);
  });

  it('ends early when validation does not get better, with the samples of the step it ended at', async () => {
    // A learning rate of next to nothing: no evaluation can be better than the first by more than luck.
    const config = configOf({ best: { metric: 'accuracy', patience: 1 }, learningRate: 1e-12, steps: 30 });
    const folder = await train(config, 'early');
    const { stoppedEarlyAt } = folder.manifest.notes as { stoppedEarlyAt: number };
    const metrics = readStepLog<StepMetrics>(folder.file('metrics.jsonl'));
    expect(metrics).toHaveLength(stoppedEarlyAt);
    expect(stoppedEarlyAt).toBeLessThan(30);
    const evaluations = readStepLog<EvaluationLine>(folder.file('evaluations.jsonl'));
    expect(evaluations.filter(({ step, suite }) => step === stoppedEarlyAt && suite === VALIDATION)).toHaveLength(1);
    expect(existsSync(folder.file('samples.jsonl'))).toBe(true);
  });

  it('works through a batch several times, at the rate of the schedule', async () => {
    const once = await train(configOf({ steps: 4, warmupSteps: 1 }), 'epochs');
    const twice = await train(configOf({ steps: 4, warmupSteps: 1, epochs: 2, schedule: 'linear' }), 'epochs');
    expect(loadWeights(twice.path)).not.toEqual(loadWeights(once.path));
    const rates = readStepLog<StepMetrics>(twice.file('metrics.jsonl')).map(({ learningRate }) => learningRate / 5e-4);
    // Warm-up at step 0, then (4 - step) / 3.
    [1, 1, 2 / 3, 1 / 3].forEach((rate, step) => {
      expect(rates[step]).toBeCloseTo(rate, 12);
    });
  });

  it('stops at a loss that is not finite, and leaves the step behind', async () => {
    // The first update of a step throws the weights so far that the second one has no finite loss.
    const config = configOf({ learningRate: 1e38, warmupSteps: 0 });
    const task = toyTask(config.base.task);
    const folder = RunFolder.open(join(root, 'diverging'), 'train', config, 1, 'wasm');
    const run = trainPolicy(folder, config, task, toyPolicySource(config.base, task, weights, 1));
    await expect(run).rejects.toThrow('nothing was changed');
    const dump = JSON.parse(readFileSync(folder.file('failed-step.json'), 'utf8'));
    expect(dump.problems).toHaveLength(4);
    expect(dump.advantages).toHaveLength(16);
    expect([dump.loss, dump.gradientNorm]).toContain(null);
  });
});

describe('bestSoFar', () => {
  const line = (step: number, accuracy: number | null, suite = VALIDATION) =>
    ({ step, suite, accuracy }) as EvaluationLine;

  it('takes the earlier of equal values, and counts what came since', () => {
    const lines = [line(0, 0.2), line(2, 0.5), line(4, 0.5), line(4, 0.9, 'aime24'), line(6, null)];
    expect(bestSoFar(lines, { metric: 'accuracy', patience: 0 })).toEqual({ step: 2, value: 0.5, since: 2 });
    expect(bestSoFar([line(0, null)], { metric: 'accuracy', patience: 0 })).toBeNull();
  });
});

// Each life is a process of its own, killed without a word at a random moment of its work.
it('ends in the same bytes after 30 deaths', async () => {
  const config = configOf({ steps: 40, checkpointEvery: 1, evaluateEvery: 10, best: { metric: 'accuracy' } });
  const whole = await train(config, 'uninterrupted');
  const killed = RunFolder.open(join(root, 'killed'), 'train', config, 1, 'wasm');
  const script = fileURLToPath(new URL('../testing/train-toy.mjs', import.meta.url));
  const input = join(root, 'input.json');
  const base = RunFolder.open(root, 'base-model', config.base, 1, 'wasm').path;
  writeFileSync(input, JSON.stringify({ root: join(root, 'killed'), config, base, seed: 1 }));
  const random = stream(1, 'deaths');
  let deaths = 0;
  while (!existsSync(killed.file('model.safetensors'))) {
    const child = spawn(process.execPath, [script, input], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => {
      child.on('close', resolve);
      // Counted from the first sign of work, so that no life ends before it begins.
      child.stdout.once('data', () => {
        if (deaths < 30) setTimeout(() => child.kill('SIGKILL'), random.uniform() * 60);
      });
    });
    if (child.signalCode === 'SIGKILL') deaths++;
    expect(child.exitCode ?? 0).toBe(0);
  }
  expect(deaths).toBe(30);
  for (const name of [
    'metrics.jsonl',
    'evaluations.jsonl',
    'samples.jsonl',
    'model.safetensors',
    'best.json',
    'best/model.safetensors',
  ]) {
    expect(readFileSync(killed.file(name)).equals(readFileSync(whole.file(name))), name).toBe(true);
  }
}, 180_000);
