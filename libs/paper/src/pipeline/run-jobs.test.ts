import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Job, openJobFolder } from './job.js';
import { toyProtocolSchema, trainConfigOf } from './protocol.js';
import { type PipelineProgress, runJobs } from './run-jobs.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'capo-jobs-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const protocol = toyProtocolSchema.parse({
  base: {
    task: { trainingPool: 12, validation: 4, suite: 3 },
    model: { hidden_size: 8, intermediate_size: 16, num_attention_heads: 2, num_key_value_heads: 2 },
    steps: 4,
    batchSize: 4,
    evaluationDraws: 2,
  },
  train: { steps: 3, promptsPerStep: 2, groupSize: 2, minibatchPrompts: 1, evaluationDraws: 2 },
});
const jobOf = (seed: number): Job => ({ kind: 'train', root, seed, config: trainConfigOf(protocol, 'grpo') });

describe('runJobs', () => {
  it('trains base models first, reports progress, and does finished work once', async () => {
    const seen: PipelineProgress[] = [];
    await runJobs([jobOf(1), jobOf(2)], { workers: 2, onProgress: (progress) => seen.push(progress) });
    expect(openJobFolder(jobOf(1)).finished).toBe(true);
    expect(openJobFolder(jobOf(2)).finished).toBe(true);
    expect(seen.length).toBeGreaterThan(4);
    for (let i = 1; i < seen.length; i++) expect(seen[i].fraction).toBeGreaterThanOrEqual(seen[i - 1].fraction);
    expect(seen[0].lines.join()).toContain('base model, seed 1');
    seen.length = 0;
    await runJobs([jobOf(1), jobOf(2)], { workers: 2, onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([]);
  });

  it('stops the others and tells which job failed', async () => {
    // A folder whose checkpoint is damaged cannot go on.
    const base: Job = { kind: 'base-model', root, seed: 1, config: protocol.base };
    mkdirSync(openJobFolder(base).file('checkpoints'));
    writeFileSync(join(openJobFolder(base).file('checkpoints'), 'step-000001.safetensors'), 'damaged');
    await expect(runJobs([jobOf(1)], { workers: 1 })).rejects.toThrow(/base model, seed 1: .*safetensors/);
  });

  it('stops when it is asked to before anything has started', async () => {
    await expect(runJobs([jobOf(1)], { workers: 1, signal: AbortSignal.abort() })).rejects.toThrow('Stopped');
  });
});
