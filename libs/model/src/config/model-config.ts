import { InputError } from '@capo/samples';
import { z } from 'zod';

/** The shape of a decoder, with the names of Hugging Face's `config.json`; every size is checked and filled in. */
export interface ModelConfig {
  model_type: 'llama' | 'qwen2' | 'qwen3';
  vocab_size: number;
  hidden_size: number;
  intermediate_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  /** Query heads share this many key and value heads. */
  num_key_value_heads: number;
  /** Numbers per head; even, since positions turn pairs. */
  head_dim: number;
  rms_norm_eps: number;
  rope_theta: number;
  /** Whether the output head is the transposed embedding. */
  tie_word_embeddings: boolean;
  /** Whether the query, key and value projections have biases. */
  attention_bias: boolean;
  /** Whether queries and keys are normalised per head before the rotation (Qwen3). */
  qk_norm: boolean;
  max_position_embeddings: number;
  /** Standard deviation of fresh weights. */
  initializer_range: number;
}

const size = z.int().positive();

const schema = z.looseObject({
  model_type: z.enum(['llama', 'qwen2', 'qwen3']),
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  num_key_value_heads: size.optional(),
  head_dim: size.nullish(),
  rms_norm_eps: z.number().positive().default(1e-6),
  rope_theta: z.number().positive().default(10_000),
  tie_word_embeddings: z.boolean().default(false),
  attention_bias: z.boolean().optional(),
  max_position_embeddings: size.default(2048),
  initializer_range: z.number().positive().default(0.02),
});

/**
 * Checks a Hugging Face `config.json` of the Llama, Qwen2 or Qwen3 family. Keys that do not bear on the decoder are
 * left out.
 *
 * @param where the file, for messages
 * @throws InputError that names the key for an unknown architecture or sizes that cannot be
 */
export function parseModelConfig(value: unknown, where: string): ModelConfig {
  const result = schema.safeParse(value);
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new InputError(`${where}: ${issue.path.join('.')}: ${issue.message}`);
  }
  const config = result.data;
  const heads = config.num_attention_heads;
  const kvHeads = config.num_key_value_heads ?? heads;
  if (!config.head_dim && config.hidden_size % heads !== 0) {
    throw new InputError(
      `${where}: hidden_size ${config.hidden_size} does not divide into num_attention_heads ${heads}.`,
      'Choose a hidden_size that is a multiple of num_attention_heads, or state head_dim.',
    );
  }
  if (heads % kvHeads !== 0) {
    throw new InputError(
      `${where}: num_attention_heads ${heads} is no multiple of num_key_value_heads ${kvHeads}.`,
      'Each key and value head must serve the same number of query heads.',
    );
  }
  const headDim = config.head_dim ?? config.hidden_size / heads;
  if (headDim % 2 !== 0) {
    throw new InputError(`${where}: head_dim is ${headDim}; rotary positions need an even one.`);
  }
  return {
    model_type: config.model_type,
    vocab_size: config.vocab_size,
    hidden_size: config.hidden_size,
    intermediate_size: config.intermediate_size,
    num_hidden_layers: config.num_hidden_layers,
    num_attention_heads: heads,
    num_key_value_heads: kvHeads,
    head_dim: headDim,
    rms_norm_eps: config.rms_norm_eps,
    rope_theta: config.rope_theta,
    tie_word_embeddings: config.tie_word_embeddings,
    // Qwen2's projections always have biases and its config has no key for them.
    attention_bias: config.attention_bias ?? config.model_type === 'qwen2',
    qk_norm: config.model_type === 'qwen3',
    max_position_embeddings: config.max_position_embeddings,
    initializer_range: config.initializer_range,
  };
}
