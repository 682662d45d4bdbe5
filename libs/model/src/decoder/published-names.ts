import type { ModelConfig } from '../config/model-config.js';

const PUBLISHED: Record<string, readonly string[]> = {
  attention_norm: ['input_layernorm.weight'],
  qkv: ['self_attn.q_proj.weight', 'self_attn.k_proj.weight', 'self_attn.v_proj.weight'],
  qkv_bias: ['self_attn.q_proj.bias', 'self_attn.k_proj.bias', 'self_attn.v_proj.bias'],
  q_norm: ['self_attn.q_norm.weight'],
  k_norm: ['self_attn.k_norm.weight'],
  attention_out: ['self_attn.o_proj.weight'],
  attention_out_bias: ['self_attn.o_proj.bias'],
  mlp_norm: ['post_attention_layernorm.weight'],
  gate_up: ['mlp.gate_proj.weight', 'mlp.up_proj.weight'],
  mlp_out: ['mlp.down_proj.weight'],
};

/** The published tensors that make up one of the decoder's parameters, side by side. */
export function publishedNames(name: string): string[] {
  if (name === 'embedding') return ['model.embed_tokens.weight'];
  if (name === 'final_norm') return ['model.norm.weight'];
  if (name === 'head') return ['lm_head.weight'];
  const [, layer, part] = name.split('.');
  return PUBLISHED[part].map((published) => `model.layers.${layer}.${published}`);
}

/** How many outputs each published part of one of the decoder's parameters has, in the order of `publishedNames`. */
export function publishedWidths(config: ModelConfig, name: string, outputs: number): number[] {
  const part = name.split('.')[2];
  if (part === 'qkv' || part === 'qkv_bias') {
    const keys = config.num_key_value_heads * config.head_dim;
    return [config.num_attention_heads * config.head_dim, keys, keys];
  }
  return part === 'gate_up' ? [config.intermediate_size, config.intermediate_size] : [outputs];
}
