const PLAIN: Record<string, string> = {
  'token_embd.weight': 'model.embed_tokens.weight',
  'output_norm.weight': 'model.norm.weight',
  'output.weight': 'lm_head.weight',
};

const IN_LAYER: Record<string, string> = {
  attn_norm: 'input_layernorm',
  attn_q: 'self_attn.q_proj',
  attn_k: 'self_attn.k_proj',
  attn_v: 'self_attn.v_proj',
  attn_output: 'self_attn.o_proj',
  attn_q_norm: 'self_attn.q_norm',
  attn_k_norm: 'self_attn.k_norm',
  ffn_norm: 'post_attention_layernorm',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
};

/** The hub's name of a tensor of a GGUF file; unknown names stay, so that they are reported as extra tensors. */
export function publishedName(name: string): string {
  const match = /^blk\.(\d+)\.(\w+)\.(weight|bias)$/.exec(name);
  const part = match ? IN_LAYER[match[2]] : undefined;
  if (match && part) return `model.layers.${match[1]}.${part}.${match[3]}`;
  return PLAIN[name] ?? name;
}
