import { AdamW, Decoder, initialWeights, parseModelConfig, scoreSequences, tf, useBackend } from '@capo/model';
import { stream } from '@capo/samples';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCompute } from '../parallel/compute-pool.js';
import type { Objective } from './loss-shard.js';
import { updatePolicy } from './policy-update.js';

const config = parseModelConfig(
  {
    model_type: 'llama',
    vocab_size: 10,
    hidden_size: 8,
    intermediate_size: 16,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    tie_word_embeddings: true,
    initializer_range: 0.2,
  },
  'test',
);
const sequences = [
  { prompt: [1, 2], response: [3, 4, 0] },
  { prompt: [1, 2], response: [5, 0] },
  { prompt: [1, 2], response: [] },
];

function policy() {
  const decoder = new Decoder(config, initialWeights(config, stream(1, 'policy')));
  const options = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, maxGradientNorm: 1 };
  return {
    decoder,
    compute: createCompute({ policy: decoder, reference: null }, 1),
    optimizer: new AdamW(decoder.parameters, options),
  };
}

const objective: Objective = {
  clipLow: 0.2,
  clipHigh: 0.2,
  aggregation: 'token-mean',
  constantLength: 4,
  ratio: 'token',
  kl: 'none',
};

const minibatchOf = (decoder: Decoder, advantages: number[]) => ({
  sequences,
  oldLogprobs: scoreSequences(decoder, sequences),
  advantages,
});

describe('updatePolicy', () => {
  beforeAll(() => useBackend('wasm'));

  it('makes a response with positive advantage more probable and one with negative advantage less', async () => {
    const { decoder, compute, optimizer } = policy();
    const minibatch = minibatchOf(decoder, [1, -1, 0]);
    const before = minibatch.oldLogprobs.map((row) => row.reduce((sum, x) => sum + x, 0));
    const report = await updatePolicy(compute, optimizer, minibatch, 0.01, objective, 1);
    const after = scoreSequences(decoder, sequences).map((row) => row.reduce((sum, x) => sum + x, 0));
    expect(after[0]).toBeGreaterThan(before[0]);
    expect(after[1]).toBeLessThan(before[1]);
    // Ratio 1 before the first update: the loss is -(3 * 1 - 2 * 1) / 5 tokens.
    expect(report.loss).toBeCloseTo(-0.2, 5);
    expect(report.clipFraction).toBe(0);
    optimizer.dispose();
    decoder.dispose();
  });

  it('changes nothing when every advantage is zero', async () => {
    const { decoder, compute, optimizer } = policy();
    const before = await decoder.weights();
    const report = await updatePolicy(compute, optimizer, minibatchOf(decoder, [0, 0, 0]), 0.01, objective, 1);
    expect(report).toEqual({ loss: 0, gradientNorm: 0, clipFraction: 0 });
    expect(await decoder.weights()).toEqual(before);
    optimizer.dispose();
    decoder.dispose();
  });

  it('counts the tokens of masked responses in the denominator, and leaves no tensor behind', async () => {
    const { decoder, compute, optimizer } = policy();
    const minibatch = minibatchOf(decoder, [1, 0, 0]);
    const before = tf.memory().numTensors;
    // -(3 * 1) / 5 tokens.
    expect((await updatePolicy(compute, optimizer, minibatch, 0.01, objective, 1)).loss).toBeCloseTo(-0.6, 5);
    expect(tf.memory().numTensors).toBe(before);
    optimizer.dispose();
    decoder.dispose();
  });

  it('stops at the clip', async () => {
    const { decoder, compute, optimizer } = policy();
    const minibatch = minibatchOf(decoder, [1, 0, 0]);
    // The policy has moved far from the one that drew the tokens: every ratio is e^2, beyond 1.2.
    minibatch.oldLogprobs = minibatch.oldLogprobs.map((row) => row.map((x) => x - 2));
    const report = await updatePolicy(compute, optimizer, minibatch, 0.01, objective, 1);
    expect(report.gradientNorm).toBe(0);
    expect(report.clipFraction).toBeCloseTo(3 / 5, 9);
    optimizer.dispose();
    decoder.dispose();
  });
});
