import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Grader, Problem } from '@capo/benchmarks';
import { loadAdapters, loadPretrained, loadTokenizer, scoreSequences, tf, useBackend } from '@capo/model';
import { RunFolder } from '@capo/samples';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelTrainSchema } from '../trainer/config.js';
import { pretrainedSource } from '../trainer/policy-source.js';
import { readStepLog } from '../trainer/step-log.js';
import type { StepMetrics } from '../trainer/step-metrics.js';
import { trainPolicy } from '../trainer/train-policy.js';
import { type TextTaskOptions, textTask } from './text.js';

const STORIES = fileURLToPath(new URL('../../../../../shared/data/models/stories260K', import.meta.url));

/** Right is a story that names a girl; a model of children's stories does so now and then, and can learn to. */
const grader: Grader = {
  version: 'she/1',
  grade: async (requests) =>
    requests.map(({ response }) => ({
      verdict: /\b[Ss]he\b/.test(response) ? ('correct' as const) : ('wrong' as const),
      answer: null,
      reason: 'word',
    })),
  close: async () => {},
};

const problems: Problem[] = ['Once upon a time', 'One day', 'Tom was', 'He was', 'The dog', 'In the park'].map(
  (prompt, i) => ({ id: String(i), benchmark: 'stories', prompt, gold: 'she' }),
);

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'capo-text-'));
});
afterAll(() => rmSync(root, { recursive: true }));

describe.skipIf(!existsSync(STORIES))('a real model (skipped where the shared models are absent)', () => {
  const options = (more: Partial<TextTaskOptions> = {}): TextTaskOptions => ({
    tokenizer: loadTokenizer(STORIES),
    grader,
    training: problems,
    suites: { stories: problems.slice(0, 2) },
    validation: 2,
    route: 'completions',
    system: null,
    instruction: '',
    maxPromptTokens: 20,
    maxResponseTokens: 16,
    ...more,
  });

  it('becomes a task: prompts as tokens, a validation set that is the same for every run', () => {
    const { task, tooLong } = textTask(options());
    expect(tooLong).toBe(0);
    expect(task.trainingPool).toHaveLength(4);
    expect(task.validation).toHaveLength(2);
    expect(task.decode(task.trainingPool[0].promptTokens).trim()).toBe(task.trainingPool[0].prompt);
    expect(textTask(options()).task.validation.map(({ id }) => id)).toEqual(task.validation.map(({ id }) => id));
  });

  it('leaves out what is too long to train on, and refuses it in an evaluation', () => {
    const long = { ...problems[0], id: 'long', prompt: 'Once upon a time '.repeat(20) };
    expect(textTask(options({ training: [...problems, long] })).tooLong).toBe(1);
    expect(() => textTask(options({ suites: { stories: [long] } }))).toThrow('stories/long');
    expect(() => textTask(options({ training: problems.slice(0, 2) }))).toThrow('none is left');
  });

  it.each(['none', { rank: 8, alpha: 16 }])('learns to be right, with lora %j', async (lora) => {
    await useBackend('wasm');
    const before = tf.memory().numTensors;
    const config = modelTrainSchema.parse({
      method: { name: 'capo', mask: 'none', tau: 0.2 },
      model: { name: 'stories260K', fingerprint: '-' },
      data: { training: { name: 'stories', hash: '-' }, validation: 2 },
      maxResponseTokens: 16,
      lora,
      steps: 25,
      promptsPerStep: 4,
      groupSize: 8,
      minibatchPrompts: 4,
      learningRate: lora === 'none' ? 1e-3 : 1e-2,
      warmupSteps: 1,
      evaluateEvery: 100,
    });
    const folder = RunFolder.open(root, 'train-model', config, 1, 'wasm');
    const source = pretrainedSource(STORIES, 'stories260K', config.lora === 'none' ? null : config.lora, 1);
    await trainPolicy(folder, config, textTask(options()).task, source);
    const rewards = readStepLog<StepMetrics>(folder.file('metrics.jsonl')).map(({ reward }) => reward as number);
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean(rewards.slice(-5))).toBeGreaterThan(mean(rewards.slice(0, 5)) + 0.2);
    expect(tf.memory().numTensors).toBe(before);

    // The policy is a model folder, and the adapters on the base model give the same numbers.
    expect(readdirSync(folder.file('model'))).toContain('model.safetensors');
    if (lora === 'none') return;
    const merged = loadPretrained(folder.file('model'));
    const adapted = loadPretrained(STORIES);
    adapted.adapters = loadAdapters(folder.file('adapter'), adapted.config);
    const sequence = { prompt: [1, 403], response: [407, 261, 378] };
    const [[a], [b]] = [merged, adapted].map((decoder) => scoreSequences(decoder, [sequence]));
    a.forEach((value, i) => {
      expect(value).toBeCloseTo(b[i], 4);
    });
    merged.dispose();
    adapted.dispose();
  });
});
