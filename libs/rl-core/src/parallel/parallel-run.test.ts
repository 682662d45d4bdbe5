import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useBackend } from '@capo/model';
import { RunFolder } from '@capo/samples';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { toyTask } from '../tasks/toy.js';
import { createDecoder } from '../trainer/base-model.js';
import { trainSchema } from '../trainer/config.js';
import { saveWeights } from '../trainer/model-file.js';
import type { PolicySource } from '../trainer/policy-source.js';
import { trainPolicy } from '../trainer/train-policy.js';
import { ComputeThread } from './compute-thread.js';

/** A KL term against another model, so that there is a gradient without a right answer; 256 responses make four shards. */
const config = trainSchema.parse({
  base: {
    task: { trainingPool: 40, validation: 2, suite: 2 },
    model: { hidden_size: 16, intermediate_size: 32, num_attention_heads: 2, num_key_value_heads: 1 },
  },
  method: { name: 'grpo', kl: { estimator: 'k3', coefficient: 0.1 } },
  steps: 4,
  minibatchPrompts: 32,
  evaluateEvery: 2,
  evaluationDraws: 2,
  checkpointEvery: 2,
});
const task = toyTask(config.base.task);
const source: PolicySource = {
  open: (trained) => createDecoder(config.base, task, trained, 1),
  openReference: () => createDecoder(config.base, task, null, 2),
  save: saveWeights,
};

let root: string;
beforeAll(async () => {
  await useBackend('wasm');
  root = mkdtempSync(join(tmpdir(), 'capo-parallel-'));
});
afterAll(() => rmSync(root, { recursive: true }));

const open = (name: string) => RunFolder.open(join(root, name), 'train', config, 1, 'wasm');

async function train(name: string, workers: number) {
  const folder = open(name);
  await trainPolicy(folder, config, task, source, { workers });
  return ['metrics.jsonl', 'evaluations.jsonl', 'samples.jsonl', 'model.safetensors'].map((file) =>
    createHash('sha256')
      .update(readFileSync(folder.file(file)))
      .digest('hex'),
  );
}

describe('a run over several threads', () => {
  it('writes the same bytes as over one, also when a thread died in it', async () => {
    const whole = await train('one', 1);
    expect(await train('two', 2)).toEqual(whole);

    const original = ComputeThread.prototype.run;
    let calls = 0;
    const spy = vi.spyOn(ComputeThread.prototype, 'run').mockImplementation(function (this: ComputeThread, ...call) {
      const result = original.apply(this, call);
      // Four calls a step: one each to draw and to score, two for gradients. The checkpoint is after the second step.
      if (++calls === 10) void this.close();
      return result;
    });
    await expect(train('died', 3)).rejects.toThrow('A compute thread failed');
    spy.mockRestore();
    expect(open('died').finished).toBe(false);
    expect(await train('died', 3)).toEqual(whole);
  }, 120_000);
});
