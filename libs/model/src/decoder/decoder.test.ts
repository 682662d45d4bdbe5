import { stream } from '@capo/samples';
import { beforeAll, describe, expect, it } from 'vitest';
import { type BackendName, useBackend } from '../backend/backend.js';
import { tf } from '../backend/tf.js';
import type { ModelConfig } from '../config/model-config.js';
import { sampleBatch } from '../sampling/sample-batch.js';
import { AdamW } from '../training/adamw.js';
import { lossAndGradients } from '../training/gradients.js';
import { packSequences, scoreBatch, scoreSequences } from '../training/sequence-batch.js';
import { Decoder } from './decoder.js';
import { initialWeights } from './parameters.js';

const base: ModelConfig = {
  model_type: 'qwen2',
  vocab_size: 17,
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 4,
  rms_norm_eps: 1e-6,
  rope_theta: 10_000,
  tie_word_embeddings: true,
  attention_bias: true,
  attention_output_bias: false,
  qk_norm: false,
  max_position_embeddings: 64,
  initializer_range: 0.02,
};

const variants: [string, ModelConfig][] = [
  ['tied, with biases', base],
  ['own head, no biases', { ...base, model_type: 'llama', tie_word_embeddings: false, attention_bias: false }],
  ['biases on all projections', { ...base, model_type: 'llama', attention_output_bias: true }],
  ['query and key norms', { ...base, model_type: 'qwen3', attention_bias: false, qk_norm: true }],
];

/** A decoder whose weights are large enough that its distributions are far from uniform. */
function decoderOf(config: ModelConfig): Decoder {
  const weights = initialWeights(config, stream(3, 'weights'));
  for (const [name, data] of weights) if (!name.endsWith('norm')) for (let i = 0; i < data.length; i++) data[i] *= 12;
  return new Decoder(config, weights);
}

const prompts = [[1, 2, 3], [4, 5, 6, 7, 8, 9], [2], [10, 11, 12, 13]].map((ids) => Int32Array.from(ids));

const draw = (decoder: Decoder, chosen: readonly Int32Array<ArrayBuffer>[], batchSize: number, temperature = 0.8) =>
  sampleBatch(
    decoder,
    chosen.map((prompt) => ({ prompt, random: stream(5, 'draw', prompts.indexOf(prompt)) })),
    { maxTokens: 9, temperature, endTokens: new Set([0]), batchSize },
  );

for (const backend of ['wasm', 'cpu'] as BackendName[]) {
  describe.each(variants)(`decoder on ${backend}: %s`, (_, config) => {
    beforeAll(() => useBackend(backend));

    it('collects the log-probabilities that one full forward pass gives', () => {
      const decoder = decoderOf(config);
      const drawn = draw(decoder, prompts, 4);
      const scored = scoreSequences(
        decoder,
        drawn.map(({ tokens }, i) => ({ prompt: prompts[i], response: tokens })),
        0.8,
      );
      expect(drawn.some(({ tokens }) => tokens.length > 3)).toBe(true);
      drawn.forEach(({ logprobs }, i) => {
        expect(logprobs.length).toBe(scored[i].length);
        logprobs.forEach((logprob, t) => {
          expect(Math.abs(logprob - scored[i][t])).toBeLessThan(1e-4);
        });
      });
      decoder.dispose();
    });

    it('draws the same in a batch, one by one, and with refilled rows', () => {
      const decoder = decoderOf(config);
      const together = draw(decoder, prompts, 4);
      const refilled = draw(decoder, prompts, 2);
      const alone = prompts.flatMap((prompt) => draw(decoder, [prompt], 1));
      for (const other of [refilled, alone]) {
        other.forEach(({ tokens, logprobs, stop }, i) => {
          expect([...tokens]).toEqual([...together[i].tokens]);
          expect(stop).toBe(together[i].stop);
          logprobs.forEach((logprob, t) => {
            expect(Math.abs(logprob - together[i].logprobs[t])).toBeLessThan(1e-5);
          });
        });
      }
      decoder.dispose();
    });

    it('is not changed by padding', () => {
      const decoder = decoderOf(config);
      const short = { prompt: [1, 2], response: [3, 4, 0] };
      const long = { prompt: [5, 6, 7, 8], response: [9, 10, 11, 12, 13, 14] };
      const [alone] = scoreSequences(decoder, [short]);
      const [padded] = scoreSequences(decoder, [short, long]);
      padded.forEach((logprob, t) => {
        expect(Math.abs(logprob - alone[t])).toBeLessThan(1e-5);
      });
      decoder.dispose();
    });

    it('has the gradient that central differences give', () => {
      const decoder = decoderOf(config);
      const batch = packSequences([
        { prompt: [1, 2], response: [3, 4, 0] },
        { prompt: [5], response: [6, 7] },
      ]);
      const loss = () => scoreBatch(decoder, batch).logprob.mean().neg() as tf.Scalar;
      const { gradients } = lossAndGradients(decoder.parameters, loss);
      const step = 2e-2;
      for (const [name, variable] of decoder.parameters) {
        const gradient = Float32Array.from((gradients.get(name) as tf.Tensor).dataSync());
        const original = Float32Array.from(variable.dataSync());
        // The entry with the steepest slope says most about the formula.
        const i = gradient.reduce((best, value, k) => (Math.abs(value) > Math.abs(gradient[best]) ? k : best), 0);
        const shifted = (delta: number) =>
          tf.tidy(() => {
            variable.assign(
              tf.tensor(
                original.map((x, k) => (k === i ? x + delta : x)),
                variable.shape,
              ),
            );
            return loss().dataSync()[0];
          });
        const difference = (shifted(step) - shifted(-step)) / (2 * step);
        variable.assign(tf.tidy(() => tf.tensor(original, variable.shape)));
        expect(Math.abs(gradient[i] - difference), name).toBeLessThan(0.02 * Math.max(0.05, Math.abs(difference)));
      }
      tf.dispose([...gradients.values()]);
      decoder.dispose();
    });

    it('leaves no tensor behind after sampling and after a training step', () => {
      const before = tf.memory().numTensors;
      const decoder = decoderOf(config);
      const optimizer = new AdamW(decoder.parameters, {
        beta1: 0.9,
        beta2: 0.999,
        epsilon: 1e-8,
        weightDecay: 0.01,
        maxGradientNorm: 1,
      });
      const settled = tf.memory();
      draw(decoder, prompts, 2);
      const batch = packSequences([{ prompt: [1, 2], response: [3, 4, 0] }]);
      const loss = () => scoreBatch(decoder, batch).logprob.mean().neg() as tf.Scalar;
      optimizer.update(lossAndGradients(decoder.parameters, loss).gradients, 1e-3);
      expect(tf.memory().numTensors).toBe(settled.numTensors);
      expect(tf.memory().numDataBuffers).toBe(settled.numDataBuffers);
      optimizer.dispose();
      decoder.dispose();
      expect(tf.memory().numTensors).toBe(before);
    });
  });
}
