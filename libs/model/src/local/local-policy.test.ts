import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from '@capo/samples';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBackend } from '../backend/backend.js';
import { tf } from '../backend/tf.js';
import type { Drawn, DrawOptions, PromptRequest } from '../policy.js';
import { LocalPolicy } from './local-policy.js';

const stories = fileURLToPath(new URL('../../../../../shared/data/models/stories260K', import.meta.url));
const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url));

async function drawAll(policy: LocalPolicy, requests: PromptRequest[], options: DrawOptions): Promise<Drawn[]> {
  const drawn: Drawn[] = [];
  for await (const item of policy.sample(requests, options)) drawn.push(item);
  return drawn;
}

describe.skipIf(!existsSync(stories))('LocalPolicy on stories260K (skipped where the shared models are absent)', () => {
  let policy: LocalPolicy;
  let tensors: number;
  beforeAll(async () => {
    await useBackend('wasm');
    tensors = tf.memory().numTensors;
    policy = LocalPolicy.load(stories, 'stories260K', { route: 'completions', batchSize: 3 });
  });
  afterAll(async () => {
    await policy.close();
    expect(tf.memory().numTensors).toBe(tensors);
  });

  it('writes the known story with the known log-probabilities', async () => {
    const expected = JSON.parse(readFileSync(join(stories, 'expected.json'), 'utf8'));
    const prompt = 'Once upon a time';
    const [{ completion }] = await drawAll(policy, [{ id: 'a', prompt, seed: 1 }], { maxTokens: 100, temperature: 0 });
    expect(expected.text.startsWith(prompt + completion.response)).toBe(true);
    // The file holds the begin token and then what follows it; the prompt has four tokens, and the values start with the first.
    const given: number[] = expected.greedy_token_logprobs.slice(4, 104);
    completion.logprob!.perToken!.forEach((value, t) => {
      expect(Math.abs(value! - given[t])).toBeLessThan(1e-3);
    });
    expect(completion).toMatchObject({ tokens: 100, stop: 'length', logprob: { semantics: 'raw', eosCounted: false } });
    const scored = await policy.score(prompt, completion.response);
    expect(scored.sum).toBeCloseTo(completion.logprob!.sum!, 2);
  });

  it('draws the same for the same seed, alone or in any batch', async () => {
    const requests = Array.from({ length: 7 }, (_, i) => ({
      id: `${i}`,
      prompt: ['Tom', 'A cat'][i % 2],
      seed: 50 + i,
    }));
    const options = { maxTokens: 20, temperature: 1 };
    const together = await drawAll(policy, requests, options);
    expect(together.map(({ request }) => request.id)).toEqual(['0', '1', '2', '3', '4', '5', '6']);
    for (const i of [0, 5]) {
      const [alone] = await drawAll(policy, [requests[i]], options);
      expect(alone.completion.response).toBe(together[i].completion.response);
    }
    expect(new Set(together.map(({ completion }) => completion.response)).size).toBeGreaterThan(4);
    expect(together[0].completion.logprob).toMatchObject({ semantics: 'processed', temperature: 1 });
  });

  it('cuts off improbable tokens, and keeps both log-probabilities', async () => {
    const requests = Array.from({ length: 6 }, (_, i) => ({ id: `${i}`, prompt: 'One day', seed: i }));
    const truncated = await drawAll(policy, requests, {
      maxTokens: 12,
      temperature: 0.8,
      topK: 5,
      topP: 0.9,
      minP: 0.05,
    });
    for (const { completion } of truncated) {
      expect(completion.logprob).toMatchObject({ semantics: 'processed', temperature: 0.8 });
      expect(completion.rawLogprob).toMatchObject({ semantics: 'raw', temperature: 1 });
      // What is kept is renormalised, so that no token is less probable than it was before.
      const scored = await policy.score('One day', completion.response);
      expect(completion.rawLogprob?.sum).toBeCloseTo(scored.sum as number, 2);
      expect(completion.logprob?.sum).toBeGreaterThan(completion.rawLogprob?.sum as number);
    }
    // With one token left there is nothing to choose: the greedy continuation, with certainty.
    const [only] = await drawAll(policy, requests.slice(0, 1), { maxTokens: 12, temperature: 1, topK: 1 });
    const [greedy] = await drawAll(policy, requests.slice(0, 1), { maxTokens: 12, temperature: 0 });
    expect(only.completion.response).toBe(greedy.completion.response);
    expect(only.completion.logprob?.sum).toBe(0);
    expect(only.completion.rawLogprob?.sum).toBeCloseTo(greedy.completion.logprob?.sum as number, 9);
  });

  it('stops at a stop string that spans tokens, and leaves it out', async () => {
    const request = [{ id: 'a', prompt: 'Once upon a time', seed: 1 }];
    const [whole] = await drawAll(policy, request, { maxTokens: 60, temperature: 0 });
    const stop = whole.completion.response.slice(30, 39);
    const [cut] = await drawAll(policy, request, { maxTokens: 60, temperature: 0, stop: ['never said', stop] });
    const at = whole.completion.response.indexOf(stop);
    expect(cut.completion).toMatchObject({ stop: 'stop-string', response: whole.completion.response.slice(0, at) });
    expect(cut.completion.tokens).toBeLessThan(whole.completion.tokens as number);
    expect(cut.completion.logprob?.perToken).toHaveLength(cut.completion.tokens as number);
    expect(cut.completion.logprob?.perToken).toEqual(
      whole.completion.logprob?.perToken?.slice(0, cut.completion.tokens as number),
    );
  });

  it('refuses what it cannot do', async () => {
    const request = [{ id: 'a', prompt: 'Tom', seed: 1 }];
    const base = { maxTokens: 4, temperature: 1 };
    await expect(drawAll(policy, request, { ...base, topP: 2 })).rejects.toThrow(/top-p is 2/);
    await expect(drawAll(policy, request, { ...base, maxTokens: 512 })).rejects.toThrow(/do not fit the model's 512/);
    const chat = LocalPolicy.load(stories, 'stories260K', { route: 'chat' });
    await expect(drawAll(chat, request, base)).rejects.toThrow(/no chat template/);
    await chat.close();
  });
});

describe('LocalPolicy.load', () => {
  it('names what a model folder lacks', async () => {
    await useBackend('wasm');
    const load = (folder: string) => () => LocalPolicy.load(folder, 'x', { route: 'completions' });
    expect(load(join(fixtures, 'qwen2'))).toThrow(InputError);
    expect(load(join(fixtures, 'qwen2'))).toThrow(/the model has no tokenizer/);
    if (!existsSync(stories)) return;
    const folder = mkdtempSync(join(tmpdir(), 'capo-local-'));
    try {
      cpSync(join(fixtures, 'qwen2'), folder, { recursive: true });
      cpSync(join(stories, 'tok512.bin'), join(folder, 'tok512.bin'));
      expect(load(folder)).toThrow(/the tokenizer has 512 tokens, the model only 97/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
