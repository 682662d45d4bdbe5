import {
  AdamW,
  Adapters,
  Decoder,
  type DrawnSequence,
  initialWeights,
  parseModelConfig,
  type Sequence,
  scoreSequences,
  useBackend,
} from '@capo/model';
import { stream } from '@capo/samples';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Objective } from '../trainer/loss-shard.js';
import { updatePolicy } from '../trainer/policy-update.js';
import type { Compute, Models, NamedDraw } from './compute.js';
import { createCompute, samplerOf } from './compute-pool.js';
import { ComputeThread } from './compute-thread.js';
import { shareModels } from './shared-models.js';

const config = parseModelConfig(
  {
    model_type: 'qwen2',
    vocab_size: 24,
    hidden_size: 16,
    intermediate_size: 32,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    rope_theta: 10_000,
    tie_word_embeddings: true,
    initializer_range: 0.3,
  },
  'test',
);
const objective: Objective = {
  clipLow: 0.2,
  clipHigh: 0.2,
  aggregation: 'sequence-mean',
  constantLength: 16,
  ratio: 'token',
  kl: { estimator: 'k3', form: 'plain', coefficient: 0.1 },
};
const options = { maxTokens: 16, temperature: 1, endTokens: new Set([0]) };
const optimizerOptions = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, maxGradientNorm: 1 };
const lora = { rank: 2, alpha: 4, targets: ['q_proj', 'down_proj'] as const };

/** More than 4,096 tokens, so that the gradient has four shards and three threads have something to do. */
const prompts = Array.from({ length: 64 }, (_, i) => Int32Array.of(1 + (i % 20), 2, 3, 4, 5, 6));
const requests: NamedDraw[] = Array.from({ length: 512 }, (_, i) => ({
  prompt: prompts[i >> 3],
  stream: [1, 'draw', i],
}));

function models(withAdapters: boolean): Models {
  const policy = new Decoder(config, initialWeights(config, stream(1, 'policy')));
  if (withAdapters) policy.adapters = new Adapters(config, lora, stream(1, 'adapters'));
  return { policy, reference: new Decoder(config, initialWeights(config, stream(2, 'reference'))) };
}

/** Two rounds of drawing, scoring and updating; all numbers that came of it. */
async function run(workers: number, withAdapters = false) {
  const own = models(withAdapters);
  const compute = createCompute(own, workers);
  const optimizer = new AdamW(own.policy.trainable, optimizerOptions);
  const numbers: unknown[] = [];
  try {
    for (let round = 0; round < 2; round++) {
      const drawn = await compute.sample('policy', requests, options);
      const sequences: Sequence[] = drawn.map(({ tokens }, i) => ({ prompt: requests[i].prompt, response: tokens }));
      const referenceLogprobs = await compute.score('reference', sequences, 1);
      const minibatch = {
        sequences,
        oldLogprobs: drawn.map(({ logprobs }) => logprobs),
        advantages: sequences.map((_, i) => (i % 3) - 1),
        referenceLogprobs,
      };
      numbers.push(drawn, referenceLogprobs, await updatePolicy(compute, optimizer, minibatch, 0.01, objective, 1));
    }
    for (const variable of own.policy.trainable.values()) numbers.push(variable.dataSync().slice());
    return { numbers, drawn: numbers[3] as DrawnSequence[] };
  } finally {
    await dispose(compute, own, optimizer);
  }
}

async function dispose(compute: Compute, { policy, reference }: Models, optimizer?: AdamW) {
  await compute.close();
  for (const item of [policy, reference, optimizer]) item?.dispose();
}

describe('createCompute', () => {
  beforeAll(() => useBackend('wasm'));

  it('gives the same bits with one, two and three workers', async () => {
    const one = await run(1);
    expect((await run(2)).numbers).toEqual(one.numbers);
    expect((await run(3)).numbers).toEqual(one.numbers);
  }, 60_000);

  it('gives the same bits with adapters, whose weights alone change', async () => {
    expect((await run(2, true)).numbers).toEqual((await run(1, true)).numbers);
  }, 60_000);

  it('draws and scores what one batch in this thread does', async () => {
    const own = models(false);
    const compute = createCompute(own, 2);
    const drawn = await compute.sample('reference', requests, options);
    expect(drawn).toEqual(await samplerOf(own.reference as Decoder)(requests, options));
    const sequences = drawn.map(({ tokens }, i) => ({ prompt: requests[i].prompt, response: tokens }));
    expect(await compute.score('policy', sequences, 0.7)).toEqual(scoreSequences(own.policy, sequences, 0.7));
    await dispose(compute, own);
  }, 60_000);

  it('passes on the error of a task, and goes on after it', async () => {
    const own = models(false);
    const compute = createCompute(own, 2);
    const half = requests.length / 2;
    const bad = requests.map((request, i) => (i < half ? request : { ...request, prompt: new Int32Array(0) }));
    await expect(compute.sample('policy', bad, options)).rejects.toThrow('A prompt has no tokens');
    expect(await compute.sample('policy', requests, options)).toHaveLength(requests.length);
    await dispose(compute, own);
  }, 60_000);
});

describe('ComputeThread', () => {
  it('says that it failed when it ends at work, and ever after', async () => {
    await useBackend('wasm');
    const own = models(false);
    const thread = new ComputeThread(shareModels(own));
    const task = { kind: 'sample', role: 'policy', requests, options } as const;
    const lost = thread.run(task, 0);
    await thread.close();
    await expect(lost).rejects.toThrow('A compute thread failed: it ended with code');
    await expect(thread.run(task, 0)).rejects.toMatchObject({ exitCode: 3 });
    own.policy.dispose();
    own.reference?.dispose();
  });
});
