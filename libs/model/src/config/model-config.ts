/** The shape of a decoder, with the names of Hugging Face's `config.json`. */
export interface ModelConfig {
  model_type: 'llama' | 'qwen2' | 'qwen3';
  vocab_size: number;
  hidden_size: number;
  intermediate_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  num_key_value_heads: number;
  head_dim: number;
  rms_norm_eps: number;
  rope_theta: number;
  tie_word_embeddings: boolean;
  attention_bias: boolean;
  qk_norm: boolean;
  max_position_embeddings: number;
}
