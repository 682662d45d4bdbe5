import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useBackend } from '@capo/model';
import { RunFolder } from '@capo/samples';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METHOD_NAMES } from '../methods/method-schema.js';
import { toyTask } from '../tasks/toy.js';
import { trainBaseModel } from './base-model.js';
import { type TrainConfig, trainSchema } from './config.js';
import { loadWeights } from './model-file.js';
import { toyPolicySource } from './policy-source.js';
import { readStepLog } from './step-log.js';
import type { StepMetrics } from './step-metrics.js';
import { trainPolicy } from './train-policy.js';

/** Trained just enough to be right now and then, so that groups carry a signal. */
const base = {
  task: { trainingPool: 24, validation: 2, suite: 2 },
  model: { hidden_size: 32, intermediate_size: 64, num_attention_heads: 2, num_key_value_heads: 2 },
  steps: 300,
  batchSize: 32,
  evaluationDraws: 2,
};

const configOf = (method: object, more: object = {}): TrainConfig =>
  trainSchema.parse({
    base,
    method,
    steps: 3,
    promptsPerStep: 12,
    groupSize: 8,
    minibatchPrompts: 6,
    learningRate: 2e-3,
    warmupSteps: 1,
    evaluateEvery: 100,
    evaluationDraws: 1,
    ...more,
  });

let root: string;
let weights: Map<string, Float32Array>;
beforeAll(async () => {
  await useBackend('wasm');
  root = mkdtempSync(join(tmpdir(), 'capo-all-methods-'));
  const config = configOf({ name: 'grpo' }).base;
  const folder = RunFolder.open(root, 'base-model', config, 1, 'wasm');
  await trainBaseModel(folder, config, toyTask(config.task));
  weights = loadWeights(folder.path);
}, 60_000);
afterAll(() => rmSync(root, { recursive: true }));

const sourceOf = (config: TrainConfig) => toyPolicySource(config.base, toyTask(config.base.task), weights, 1);

/** Trains from the base model; the log, and the weights at the end. */
async function train(method: object, more: object = {}) {
  const config = configOf(method, more);
  const folder = RunFolder.open(root, 'train', config, 1, 'wasm');
  if (!folder.finished) await trainPolicy(folder, config, toyTask(config.base.task), sourceOf(config));
  return {
    log: readStepLog<StepMetrics>(folder.file('metrics.jsonl')),
    header: JSON.parse(readFileSync(folder.file('method.json'), 'utf8')) as Record<string, unknown>,
    weights: loadWeights(folder.path),
  };
}

const VARIANTS: Record<string, object> = {
  ...Object.fromEntries(METHOD_NAMES.map((name) => [name, name === 'capo' ? { name, mask: 'none' } : { name }])),
  'capo, current lpm': { name: 'capo', mask: 'none', tau: 0.1, lpmOf: 'current' },
  'capo, linear': { name: 'capo', mask: 'none', surrogate: 'linear' },
  'capo, hinge': { name: 'capo', mask: 'none', surrogate: 'hinge' },
  'capo, exponential': { name: 'capo', mask: 'none', surrogate: 'exponential' },
  'capo, base quantiles': { name: 'capo', mask: { lowQuantile: 0.1, highQuantile: 0.9 } },
  'grpo with the mask': { name: 'grpo', mask: { low: 1.01, high: 50 } },
  'codapo with focus': { name: 'codapo', focus: {} },
  'grpo with k1': { name: 'grpo', kl: { estimator: 'k1', form: 'importance-weighted' } },
  'grpo with k2': { name: 'grpo', kl: { estimator: 'k2' } },
  'grpo with k3': { name: 'grpo', kl: { estimator: 'k3', coefficient: 0.1 } },
};

describe('all methods', () => {
  it.each(Object.entries(VARIANTS))('trains with %s: finite losses, and weights that move', async (_, method) => {
    const { log, weights: after } = await train(method);
    expect(log).toHaveLength(3);
    for (const { loss, gradientNorm } of log) {
      expect(Number.isFinite(loss)).toBe(true);
      expect(Number.isFinite(gradientNorm)).toBe(true);
    }
    expect(log.some(({ gradientNorm }) => gradientNorm > 0)).toBe(true);
    expect(after).not.toEqual(weights);
  });

  it('is Dr. GRPO where GRPO is not scaled and sums over a constant length', async () => {
    const own = await train({ name: 'dr-grpo' });
    const spelled = await train({ name: 'grpo', scale: 'none', aggregation: 'constant-length' });
    expect(own.weights).toEqual(spelled.weights);
    expect(own.weights).not.toEqual((await train({ name: 'grpo' })).weights);
  });

  it('gives RLOO the direction of the centred reward, 8/7 as long', async () => {
    // Before the first update all ratios are 1, so that the first step's gradient is linear in the advantages.
    const first = async (method: object) => (await train(method, { minibatchPrompts: 12 })).log[0];
    const rloo = await first({ name: 'rloo' });
    const centred = await first({ name: 'grpo', scale: 'none' });
    expect(rloo.gradientNorm / centred.gradientNorm).toBeCloseTo(8 / 7, 4);
  });

  it('has DAPO learn from groups with a signal only, and draw others in their place', async () => {
    const { log, header } = await train({ name: 'dapo' });
    expect(header).toMatchObject({ clipLow: 0.2, clipHigh: 0.28, aggregation: 'token-mean' });
    const plain = await train({ name: 'grpo' });
    expect(plain.log[0]).toMatchObject({ groupsDrawn: 12, groupsKept: 12 });
    expect(plain.log[0].shareWithoutSignal).toBeGreaterThan(0);
    expect(log[0].groupsDrawn).toBeGreaterThan(12);
    const withSignal = Math.round(log[0].groupsDrawn * (1 - log[0].shareWithoutSignal));
    expect(log[0].groupsKept).toBe(Math.min(12, withSignal));
  });

  it('has GSPO clip whole responses in its narrow range', async () => {
    // Later minibatches meet a policy that has moved: with 3e-4 nearly every response is beyond the clip.
    const share = async (name: string) => {
      const { log } = await train({ name }, { minibatchPrompts: 2 });
      return log.reduce((sum, { clipFraction }) => sum + clipFraction, 0);
    };
    expect(await share('gspo')).toBeGreaterThan(2 * (await share('grpo')));
  });

  it('has CoDaPO weigh prompts, and with focus make a second update', async () => {
    const plain = (await train({ name: 'grpo' })).weights;
    const weighted = (await train({ name: 'codapo' })).weights;
    const focused = (await train({ name: 'codapo', focus: {} })).weights;
    expect(weighted).not.toEqual(plain);
    expect(focused).not.toEqual(weighted);
  });

  it('is GRPO where the bonus of CDE is gone and SimKO shares and punishes nothing', async () => {
    const grpo = (await train({ name: 'grpo' })).weights;
    expect((await train({ name: 'cde', stairs: [{ from: 0, weight: 0 }] })).weights).toEqual(grpo);
    expect((await train({ name: 'cde' })).weights).not.toEqual(grpo);
    const simko = await train({ name: 'simko', shared: 0, topPenalty: 1 }, { steps: 1 });
    const one = await train({ name: 'grpo' }, { steps: 1 });
    for (const [name, values] of one.weights) {
      const other = simko.weights.get(name) as Float32Array;
      // The same up to the rounding of a ratio times 1 - 0.
      values.forEach((value, i) => {
        expect(other[i]).toBeCloseTo(value, 5);
      });
    }
    expect((await train({ name: 'simko' })).weights).not.toEqual(grpo);
  });

  it('weighs pairs alike with the linear surrogate: the centred reward', async () => {
    // sum over wrong j of 1 / G = W / G = 1 - mean for a right response.
    const linear = { name: 'capo', surrogate: 'linear', mask: 'none', normalise: 'none', tauFactor: false };
    const capo = (await train(linear, { minibatchPrompts: 12 })).log[0];
    const centred = (await train({ name: 'grpo', scale: 'none' }, { minibatchPrompts: 12 })).log[0];
    expect(capo.gradientNorm).toBeCloseTo(centred.gradientNorm, 6);
    expect(capo.loss).toBeCloseTo(centred.loss, 6);
  });

  it('logs the KL term, which is 0 before the first update', async () => {
    const { log } = await train({ name: 'grpo', kl: { estimator: 'k3', coefficient: 0.1 } }, { minibatchPrompts: 12 });
    expect(log[0].kl).toBeCloseTo(0, 5);
    expect(log[2].kl).toBeGreaterThan(0);
    expect((await train({ name: 'grpo' })).log[0].kl).toBeNull();
  });

  it('changes nothing, and has no NaN, when the mask drops every response', async () => {
    const all = await train({ name: 'capo', mask: { low: 1e9, high: 1e-9 } });
    for (const { loss, gradientNorm, shareMasked } of all.log)
      expect([loss, gradientNorm, shareMasked]).toEqual([0, 0, 1]);
    expect(all.weights).toEqual(weights);
  });

  it('changes nothing, and has no NaN, when every group is without signal and masked', async () => {
    const task = toyTask(configOf({ name: 'grpo' }).base.task);
    const never = {
      ...task,
      grader: {
        ...task.grader,
        grade: async (requests: readonly unknown[]) =>
          requests.map(() => ({ verdict: 'wrong' as const, answer: null, reason: 'never' })),
      },
    };
    for (const groupsWithoutSignal of ['mask', 'resample']) {
      const config = configOf({ name: 'grpo', groupsWithoutSignal, kl: { estimator: 'k3' } });
      const folder = RunFolder.open(join(root, 'never'), 'train', config, 1, 'wasm');
      await trainPolicy(folder, config, never, sourceOf(config));
      for (const { loss, gradientNorm } of readStepLog<StepMetrics>(folder.file('metrics.jsonl'))) {
        expect([loss, gradientNorm]).toEqual([0, 0]);
      }
      expect(loadWeights(folder.path)).toEqual(weights);
    }
  });

  it('drops and counts responses whose grader throws', async () => {
    const task = toyTask(configOf({ name: 'grpo' }).base.task);
    let seen = 0;
    const grader = {
      ...task.grader,
      grade: async (requests: Parameters<typeof task.grader.grade>[0]) => {
        if (requests.length > 1) throw new Error('the batch holds something unreadable');
        if (seen++ % 8 === 0) throw new Error('unreadable');
        return task.grader.grade(requests);
      },
    };
    const config = configOf({ name: 'grpo' }, { steps: 1, evaluateEvery: 200 });
    const folder = RunFolder.open(join(root, 'throwing'), 'train', config, 1, 'wasm');
    await trainPolicy(folder, config, { ...task, grader, suites: {} }, sourceOf(config));
    const [line] = readStepLog<StepMetrics>(folder.file('metrics.jsonl'));
    // One of eight, in each of the twelve groups.
    expect(line.ungraded).toBe(12);
    expect(line.groupsTooSmall).toBe(0);
    expect(Number.isFinite(line.loss)).toBe(true);
  });
});
