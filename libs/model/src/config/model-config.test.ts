import { describe, expect, it } from 'vitest';
import { parseModelConfig } from './model-config.js';

const valid = {
  model_type: 'qwen2',
  vocab_size: 100,
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
};

describe('parseModelConfig', () => {
  it('fills in what the architecture implies', () => {
    const config = parseModelConfig({ ...valid, torch_dtype: 'bfloat16' }, 'config.json');
    expect(config).toMatchObject({ head_dim: 16, attention_bias: true, qk_norm: false, rope_theta: 10_000 });
    expect(parseModelConfig({ ...valid, model_type: 'qwen3', head_dim: 32 }, 'c')).toMatchObject({
      head_dim: 32,
      attention_bias: false,
      qk_norm: true,
    });
    expect(parseModelConfig({ ...valid, num_key_value_heads: undefined }, 'c').num_key_value_heads).toBe(4);
  });

  it.each([
    [{ model_type: 'mamba' }, 'model_type'],
    [{ hidden_size: 66 }, 'hidden_size 66 does not divide into num_attention_heads 4'],
    [{ num_key_value_heads: 3 }, 'num_attention_heads 4 is no multiple of num_key_value_heads 3'],
    [{ hidden_size: 12 }, 'head_dim is 3'],
    [{ num_hidden_layers: 0 }, 'num_hidden_layers'],
    [{ vocab_size: '100' }, 'vocab_size'],
  ])('refuses %j', (change, message) => {
    expect(() => parseModelConfig({ ...valid, ...change }, 'config.json')).toThrow(message);
    expect(() => parseModelConfig({ ...valid, ...change }, 'config.json')).toThrow('config.json');
  });
});
