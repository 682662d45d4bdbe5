import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { InputError } from '@capo/samples';
import { describe, expect, it } from 'vitest';
import { oddValues, parseModelConfig } from './model-config.js';

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/${name}/config.json`, import.meta.url));
const stories = fileURLToPath(new URL('../../../../../shared/data/models/stories260K/config.json', import.meta.url));
const load = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** The sizes of Qwen2.5-0.5B. */
const qwen = {
  model_type: 'qwen2',
  vocab_size: 151936,
  hidden_size: 896,
  intermediate_size: 4864,
  num_hidden_layers: 24,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  rms_norm_eps: 1e-6,
  rope_theta: 1000000,
  tie_word_embeddings: true,
  use_sliding_window: false,
  sliding_window: 32768,
  max_window_layers: 21,
  hidden_act: 'silu',
  max_position_embeddings: 32768,
  bos_token_id: 151643,
  eos_token_id: 151645,
};
const parse = (changes: object) => parseModelConfig({ ...qwen, ...changes }, 'config.json');

describe('parseModelConfig', () => {
  it('reads a Qwen2.5 configuration', () => {
    expect(parse({})).toEqual({
      model_type: 'qwen2',
      vocab_size: 151936,
      hidden_size: 896,
      intermediate_size: 4864,
      num_hidden_layers: 24,
      num_attention_heads: 14,
      num_key_value_heads: 2,
      head_dim: 64,
      rms_norm_eps: 1e-6,
      rope_theta: 1000000,
      tie_word_embeddings: true,
      attention_bias: true,
      attention_output_bias: false,
      qk_norm: false,
      max_position_embeddings: 32768,
      initializer_range: 0.02,
    });
  });

  it('reads the configurations that transformers writes', () => {
    const read = (name: string) => parseModelConfig(load(fixture(name)), name);
    expect(read('qwen2')).toMatchObject({ attention_bias: true, attention_output_bias: false, qk_norm: false });
    expect(read('qwen3')).toMatchObject({ attention_bias: false, qk_norm: true, head_dim: 16, hidden_size: 32 });
    expect(read('llama')).toMatchObject({ attention_bias: false, rope_theta: 10_000, num_key_value_heads: 4 });
    expect(read('llama-bias')).toMatchObject({ attention_bias: true, attention_output_bias: true, head_dim: 8 });
  });

  it.skipIf(!existsSync(stories))('reads stories260K (skipped where the shared models are absent)', () => {
    const config = parseModelConfig(load(stories), stories);
    expect(config).toMatchObject({ model_type: 'llama', head_dim: 8 });
  });

  it('finds the rotary base in its old and its new place', () => {
    const moved = { rope_theta: undefined, rope_parameters: { rope_type: 'default', rope_theta: 500000 } };
    expect(parse(moved).rope_theta).toBe(500000);
    expect(parse({ rope_parameters: { rope_theta: 1000000 } }).rope_theta).toBe(1000000);
    expect(() => parse({ rope_parameters: { rope_theta: 10000 } })).toThrow(
      /rope_theta is 1000000 and rope_parameters.rope_theta is 10000/,
    );
  });

  it('never falls back to a rotary base for Qwen, and knows the one of the first Llamas', () => {
    expect(() => parse({ rope_theta: undefined })).toThrow(/rope_theta is missing/);
    expect(parse({ model_type: 'llama', rope_theta: undefined }).rope_theta).toBe(10_000);
  });

  it('fills in what a file may leave out as transformers does', () => {
    expect(parse({ num_key_value_heads: undefined }).num_key_value_heads).toBe(14);
    expect(parse({ model_type: 'qwen3', head_dim: undefined }).head_dim).toBe(128);
    expect(parse({ tie_word_embeddings: undefined }).tie_word_embeddings).toBe(false);
  });

  it.each([
    ['an unknown architecture', { model_type: 'qwen2_moe' }, /"qwen2_moe" is not supported/],
    ['no architecture', { model_type: undefined }, /no "model_type"/],
    ['a sliding window', { use_sliding_window: true }, /sliding window is not supported/],
    ['a layer with a window', { layer_types: ['full_attention', 'sliding_attention'] }, /sliding window/],
    ['rotary scaling', { rope_scaling: { type: 'yarn', factor: 4 } }, /rope_scaling.*"yarn"/],
    ['rotary scaling in the new place', { rope_parameters: { rope_type: 'llama3' } }, /rope_parameters.*"llama3"/],
    ['a partial rotation', { partial_rotary_factor: 0.5 }, /partial rotation \(0.5\)/],
    ['another activation', { hidden_act: 'gelu' }, /hidden_act: "gelu"/],
    ['biases in the MLP', { mlp_bias: true }, /mlp_bias/],
    ['quantized weights', { quantization_config: { quant_method: 'awq' } }, /quantized by awq/],
    ['heads that do not divide', { num_attention_heads: 15 }, /896 is not a multiple of num_attention_heads 15/],
    ['key-value heads that do not divide', { num_key_value_heads: 4 }, /14 is not a multiple of .* 4/],
    ['an odd head', { head_dim: 63 }, /head_dim 63 is odd/],
    ['a missing size', { hidden_size: undefined }, /config.json: hidden_size/],
    ['a negative size', { vocab_size: -3 }, /vocab_size/],
    ['a size that is no whole number', { num_hidden_layers: 2.5 }, /num_hidden_layers/],
    ['a text for a number', { intermediate_size: '4864' }, /intermediate_size/],
  ])('refuses %s', (_, changes, message) => {
    expect(() => parse(changes)).toThrow(InputError);
    expect(() => parse(changes)).toThrow(message);
  });

  it('refuses what is no object', () => {
    for (const json of [null, 3, [], 'qwen2']) expect(() => parseModelConfig(json, 'x')).toThrow(/no "model_type"/);
  });
});

describe('oddValues', () => {
  it('is silent for known models and speaks of a mistyped rotary base or epsilon', () => {
    expect(oddValues(parse({}))).toEqual([]);
    expect(oddValues(parse({ rope_theta: 1000 }))).toEqual([expect.stringMatching(/rope_theta is 1000/)]);
    expect(oddValues(parse({ rms_norm_eps: 0.1 }))).toEqual([expect.stringMatching(/rms_norm_eps is 0.1/)]);
  });
});
