import { stream } from '@capo/samples';
import { describe, expect, it } from 'vitest';
import { type BackendName, useBackend } from '../backend/backend.js';
import { tf } from '../backend/tf.js';
import type { ModelConfig } from '../config/model-config.js';
import { Decoder } from '../decoder/decoder.js';
import { initialWeights } from '../decoder/parameters.js';
import { AdamW, type AdamWOptions } from './adamw.js';
import { lossAndGradients } from './gradients.js';
import { packSequences, scoreBatch } from './sequence-batch.js';

const options: AdamWOptions = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.1, maxGradientNorm: 1 };

const config: ModelConfig = {
  model_type: 'llama',
  vocab_size: 12,
  hidden_size: 16,
  intermediate_size: 32,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 2,
  head_dim: 8,
  rms_norm_eps: 1e-6,
  rope_theta: 10_000,
  tie_word_embeddings: true,
  attention_bias: false,
  attention_output_bias: false,
  qk_norm: false,
  max_position_embeddings: 32,
  initializer_range: 0.02,
};

describe.each<BackendName>(['wasm', 'cpu'])('AdamW on %s', (backend) => {
  it('makes the two steps of a hand computation', async () => {
    await useBackend(backend);
    const parameter = tf.variable(tf.tensor2d([1, -2], [1, 2]));
    const optimizer = new AdamW(new Map([['w', parameter]]), options);
    // Step 1, gradient (3, 4): norm 5, clipped to (0.6, 0.8). m = 0.1 g, v = 0.01 g^2; corrected, m / sqrt(v) = 1.
    // w = w (1 - 0.01 * 0.1) - 0.01 = (0.999 - 0.01, -1.998 - 0.01).
    expect(optimizer.update(new Map([['w', tf.tensor2d([3, 4], [1, 2])]]), 0.01)).toBeCloseTo(5, 6);
    expect([...parameter.dataSync()][0]).toBeCloseTo(0.989, 6);
    expect([...parameter.dataSync()][1]).toBeCloseTo(-2.008, 6);
    // Step 2, gradient (0, 0.5), unclipped. m = (0.054, 0.122), v = (0.003564, 0.008836); corrections 0.19 and 0.0199:
    // m^ = (0.284211, 0.642105), v^ = (0.179095, 0.444020), m^ / sqrt(v^) = (0.671579, 0.963617).
    optimizer.update(new Map([['w', tf.tensor2d([0, 0.5], [1, 2])]]), 0.01);
    expect([...parameter.dataSync()][0]).toBeCloseTo(0.989 * 0.999 - 0.00671579, 5);
    expect([...parameter.dataSync()][1]).toBeCloseTo(-2.008 * 0.999 - 0.00963617, 5);
    optimizer.dispose();
    parameter.dispose();
  });

  it('changes nothing for a gradient that is not finite', async () => {
    await useBackend(backend);
    const parameter = tf.variable(tf.tensor1d([1, 2]));
    const optimizer = new AdamW(new Map([['w', parameter]]), options);
    expect(optimizer.update(new Map([['w', tf.tensor1d([Number.NaN, 1])]]), 0.1)).toBeNaN();
    expect([...parameter.dataSync()]).toEqual([1, 2]);
    expect((await optimizer.state()).step).toBe(0);
    optimizer.dispose();
    parameter.dispose();
  });

  it('learns, and the weights it reports are the weights that are used', async () => {
    await useBackend(backend);
    const decoder = new Decoder(config, initialWeights(config, stream(1, 'adamw')));
    const optimizer = new AdamW(decoder.parameters, options);
    const batch = packSequences([
      { prompt: [1, 2], response: [3, 4, 0] },
      { prompt: [5], response: [6, 7, 8, 0] },
    ]);
    const loss = (model: Decoder) => () => scoreBatch(model, batch).logprob.mean().neg() as tf.Scalar;
    const losses: number[] = [];
    for (let step = 0; step < 30; step++) {
      const result = lossAndGradients(decoder.parameters, loss(decoder));
      losses.push(result.loss);
      optimizer.update(result.gradients, 0.02);
    }
    expect(losses[0]).toBeCloseTo(Math.log(12), 0);
    expect(losses[29]).toBeLessThan(0.2);
    const copy = new Decoder(config, await decoder.weights());
    const value = (model: Decoder) => tf.tidy(() => loss(model)().dataSync()[0]);
    expect(value(copy)).toBeCloseTo(value(decoder), 6);
    for (const item of [optimizer, decoder, copy]) item.dispose();
  });

  it('goes on from a restored state as if it had not stopped', async () => {
    await useBackend(backend);
    const gradient = (step: number) => new Map([['w', tf.tensor1d([Math.sin(step), Math.cos(step)])]]);
    const run = async (stopAt: number | null): Promise<number[]> => {
      let parameter = tf.variable(tf.tensor1d([1, -1]));
      let optimizer = new AdamW(new Map([['w', parameter]]), options);
      for (let step = 0; step < 6; step++) {
        if (step === stopAt) {
          const state = await optimizer.state();
          const weights = Float32Array.from(parameter.dataSync());
          optimizer.dispose();
          parameter.dispose();
          parameter = tf.variable(tf.tensor1d(weights));
          optimizer = new AdamW(new Map([['w', parameter]]), options);
          optimizer.restore(state);
        }
        optimizer.update(gradient(step), 0.1);
      }
      const result = [...parameter.dataSync()];
      optimizer.dispose();
      parameter.dispose();
      return result;
    };
    expect(await run(3)).toEqual(await run(null));
  });

  it('refuses a state of another shape by name', async () => {
    await useBackend(backend);
    const parameter = tf.variable(tf.tensor1d([1, 2]));
    const optimizer = new AdamW(new Map([['w', parameter]]), options);
    const wrong = { step: 1, moment1: new Map([['w', new Float32Array(3)]]), moment2: new Map() };
    expect(() => optimizer.restore(wrong)).toThrow('moment1 of "w" has 3 numbers, the model needs 2');
    optimizer.dispose();
    parameter.dispose();
  });
});
