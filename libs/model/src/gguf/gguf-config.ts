import { didYouMean, InputError } from '@capo/samples';
import { MODEL_TYPES } from '../config/index.js';

/** What the tensors tell about the model, besides the metadata. */
export interface TensorFacts {
  vocabSize: number;
  hasHead: boolean;
  hasAttentionBias: boolean;
}

/**
 * The metadata of a GGUF file with the keys of the hub's `config.json`, for `parseModelConfig` and to be written beside
 * converted weights.
 *
 * @throws InputError for an architecture that is not supported or a missing key
 */
export function ggufConfig(
  metadata: Readonly<Record<string, unknown>>,
  facts: TensorFacts,
  where: string,
): Record<string, unknown> {
  const architecture = String(metadata['general.architecture']);
  if (!MODEL_TYPES.some((type) => type === architecture)) {
    throw new InputError(
      `${where}: the architecture "${architecture}" is not supported.`,
      didYouMean(architecture, MODEL_TYPES),
    );
  }
  const optional = (key: string) => plain(metadata[`${architecture}.${key}`]);
  const required = (key: string) => {
    const value = optional(key);
    if (value === undefined) throw new InputError(`${where}: the key "${architecture}.${key}" is missing.`);
    return value;
  };
  const token = (key: string) => plain(metadata[`tokenizer.ggml.${key}_token_id`]);
  // A chat model's end of turn is an end token too.
  const ends = [token('eos'), token('eot')].filter((id) => id !== undefined);
  const scaling = optional('rope.scaling.type');
  const config: Record<string, unknown> = {
    model_type: architecture,
    vocab_size: facts.vocabSize,
    hidden_size: required('embedding_length'),
    intermediate_size: required('feed_forward_length'),
    num_hidden_layers: required('block_count'),
    num_attention_heads: required('attention.head_count'),
    num_key_value_heads: optional('attention.head_count_kv'),
    head_dim: optional('attention.key_length'),
    rms_norm_eps: required('attention.layer_norm_rms_epsilon'),
    rope_theta: optional('rope.freq_base'),
    rope_scaling: scaling === undefined || scaling === 'none' ? undefined : { rope_type: scaling },
    tie_word_embeddings: !facts.hasHead,
    attention_bias: facts.hasAttentionBias,
    max_position_embeddings: required('context_length'),
    bos_token_id: token('bos'),
    eos_token_id: ends.length > 1 ? [...new Set(ends)] : ends[0],
    pad_token_id: token('padding'),
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

/** 64-bit integers as numbers, and float32 numbers by their shortest decimal, as a person would have written them. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number' && !Number.isInteger(value)) return Number(value.toPrecision(7));
  return value;
}
