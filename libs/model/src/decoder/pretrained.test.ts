import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stream } from '@capo/samples';
import { beforeAll, describe, expect, it } from 'vitest';
import { useBackend } from '../backend/backend.js';
import { tf } from '../backend/tf.js';
import { sampleBatch } from '../sampling/sample-batch.js';
import { scoreSequences } from '../training/sequence-batch.js';
import type { Decoder } from './decoder.js';
import { loadPretrained } from './pretrained.js';

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** The logits after each of some positions of a text. */
function logitsAt(decoder: Decoder, tokens: number[], positions: number[]): number[][] {
  const { vocab_size: vocab } = decoder.config;
  const flat = tf.tidy(() => {
    const starts = Int32Array.of(0, tokens.length);
    const hidden = decoder.hidden(Int32Array.from(tokens), starts, Int32Array.from(positions));
    return Array.from(decoder.logits(hidden).dataSync());
  });
  return positions.map((_, i) => flat.slice(i * vocab, (i + 1) * vocab));
}

function greedy(decoder: Decoder, prompts: number[][], maxTokens: number, batchSize: number): number[][] {
  const requests = prompts.map((prompt) => ({ prompt: Int32Array.from(prompt), random: stream(1, 'greedy') }));
  const options = { maxTokens, temperature: 0, endTokens: new Set<number>(), batchSize };
  return sampleBatch(decoder, requests, options).map(({ tokens }) => [...tokens]);
}

interface Expected {
  tokens: number[];
  cases: { length: number; positions: number[]; logits: number[][]; logprobSum: number }[];
  greedy: { prompt: number; ids: number[] };
}

// Random small models, computed by PyTorch through transformers; fixtures/manifest.json has versions and hashes.
describe.each(['llama', 'llama-bias', 'qwen2', 'qwen2-tied', 'qwen3'])('pretrained %s', (name) => {
  const { tokens, cases, greedy: continuation }: Expected = readJson(`${fixture(name)}/expected.json`);
  let decoder: Decoder;
  beforeAll(async () => {
    await useBackend('wasm');
    decoder = loadPretrained(fixture(name));
  });

  it.each(cases)('has the reference logits after $length tokens', ({ length, positions, logits }) => {
    logitsAt(decoder, tokens.slice(0, length), positions).forEach((row, i) => {
      row.forEach((logit, id) => {
        expect(Math.abs(logit - logits[i][id])).toBeLessThan(1e-4);
      });
    });
  });

  it.each(cases)('has the reference log-probability of $length tokens', ({ length, logprobSum }) => {
    if (length < 2) return;
    const [logprobs] = scoreSequences(decoder, [{ prompt: tokens.slice(0, 1), response: tokens.slice(1, length) }]);
    const sum = logprobs.reduce((total, value) => total + value, 0);
    expect(Math.abs(sum - logprobSum) / length).toBeLessThan(1e-4);
  });

  it('continues greedily as the reference does, alone and beside other prompts', () => {
    const prompt = tokens.slice(0, continuation.prompt);
    expect(greedy(decoder, [prompt], continuation.ids.length, 1)).toEqual([continuation.ids]);
    const others = [tokens.slice(7, 9), prompt, tokens.slice(20, 31)];
    expect(greedy(decoder, others, continuation.ids.length, 2)[1]).toEqual(continuation.ids);
  });
});

const stories = fileURLToPath(new URL('../../../../../shared/data/models/stories260K', import.meta.url));

describe.skipIf(!existsSync(stories))('stories260K, a real pretrained model (needs ../shared)', () => {
  let decoder: Decoder;
  beforeAll(async () => {
    await useBackend('wasm');
    decoder = loadPretrained(stories);
  });

  it('writes the 200 tokens that its reference writes, with the same log-probabilities', () => {
    const expected = readJson(`${stories}/expected.json`);
    const ids: number[] = expected.greedy_token_ids;
    const prompt = ids.slice(0, 1);
    expect(greedy(decoder, [prompt], 200, 1)[0]).toEqual(ids.slice(1));
    // In a batch, with rows of other lengths that end and are refilled.
    expect(greedy(decoder, [ids.slice(0, 30), prompt, ids.slice(0, 9)], 200, 2)[1]).toEqual(ids.slice(1));
    const [logprobs] = scoreSequences(decoder, [{ prompt, response: ids.slice(1) }]);
    logprobs.forEach((logprob, t) => {
      expect(Math.abs(logprob - expected.greedy_token_logprobs[t])).toBeLessThan(1e-3);
    });
    const [first, fiftieth] = logitsAt(decoder, ids.slice(0, 51), [0, 50]);
    expected.first_logits.forEach((logit: number, i: number) => {
      expect(Math.abs(first[i] - logit)).toBeLessThan(1e-3);
    });
    expected.logits_at_position_50_first16.forEach((logit: number, i: number) => {
      expect(Math.abs(fiftieth[i] - logit)).toBeLessThan(1e-3);
    });
  });
});
