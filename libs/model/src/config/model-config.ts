import { didYouMean, InputError, parseConfig } from '@capo/samples';
import { z } from 'zod';

/** The architectures that the decoder knows, by `model_type`. */
export const MODEL_TYPES = ['llama', 'qwen2', 'qwen3'] as const;
export type ModelType = (typeof MODEL_TYPES)[number];

/** The shape of a decoder, with the keys of the hub's `config.json`. */
export interface ModelConfig {
  model_type: ModelType;
  vocab_size: number;
  hidden_size: number;
  intermediate_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  num_key_value_heads: number;
  /** The size of one head; heads times this need not be `hidden_size`. */
  head_dim: number;
  rms_norm_eps: number;
  /** The base of the rotary position angles: dimension pair i turns by rope_theta^(-2i / head_dim) per position. */
  rope_theta: number;
  /** The output matrix is the embedding matrix. */
  tie_word_embeddings: boolean;
  /** Biases on the q, k and v projections. */
  attention_bias: boolean;
  /** A bias on the o projection. */
  attention_output_bias: boolean;
  /** RMS norms over each head of q and k, before the rotation (Qwen3). */
  qk_norm: boolean;
  max_position_embeddings: number;
  /** Standard deviation of fresh weights. */
  initializer_range: number;
}

const size = z.int().positive();
const ropeSchema = z.looseObject({
  rope_type: z.string().nullish(),
  type: z.string().nullish(),
  rope_theta: z.number().positive().nullish(),
  partial_rotary_factor: z.number().nullish(),
});

// Keys that describe training or other software are ignored; keys that change the computation are read or refused.
const configSchema = z.looseObject({
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  num_key_value_heads: size.nullish(),
  head_dim: size.nullish(),
  rms_norm_eps: z.number().positive().default(1e-6),
  rope_theta: z.number().positive().nullish(),
  rope_parameters: ropeSchema.nullish(),
  rope_scaling: ropeSchema.nullish(),
  partial_rotary_factor: z.number().nullish(),
  tie_word_embeddings: z.boolean().default(false),
  attention_bias: z.boolean().nullish(),
  mlp_bias: z.boolean().nullish(),
  hidden_act: z.string().default('silu'),
  use_sliding_window: z.boolean().nullish(),
  layer_types: z.array(z.string()).nullish(),
  max_position_embeddings: size.default(2048),
  initializer_range: z.number().positive().default(0.02),
  quantization_config: z.looseObject({ quant_method: z.string().optional() }).nullish(),
});
type RawConfig = z.infer<typeof configSchema>;

/**
 * Reads a model's `config.json`.
 *
 * @param json the parsed file
 * @param where the file, for messages
 * @throws InputError for an unknown architecture, impossible sizes, or a feature that the decoder does not have:
 * computing something else than the model is would give plausible nonsense
 */
export function parseModelConfig(json: unknown, where: string): ModelConfig {
  const modelType = parseModelType(json, where);
  const raw = parseConfig(configSchema, json, where);
  refuseUnsupported(raw, where);
  const isQwen2 = modelType === 'qwen2';
  const attentionBias = isQwen2 || raw.attention_bias === true;
  return {
    model_type: modelType,
    vocab_size: raw.vocab_size,
    hidden_size: raw.hidden_size,
    intermediate_size: raw.intermediate_size,
    num_hidden_layers: raw.num_hidden_layers,
    ...headSizes(raw, modelType, where),
    rms_norm_eps: raw.rms_norm_eps,
    rope_theta: ropeTheta(raw, modelType, where),
    tie_word_embeddings: raw.tie_word_embeddings,
    attention_bias: attentionBias,
    attention_output_bias: attentionBias && !isQwen2,
    qk_norm: modelType === 'qwen3',
    max_position_embeddings: raw.max_position_embeddings,
    initializer_range: raw.initializer_range,
  };
}

/**
 * Values that are possible but that no known model has, as warnings for people: a mistyped rotary base or epsilon does
 * not fail, it makes the text fall apart.
 */
export function oddValues(config: ModelConfig): string[] {
  const odd: string[] = [];
  if (config.rope_theta < 10_000) odd.push(`rope_theta is ${config.rope_theta}; known models have 10000 or more.`);
  if (config.rms_norm_eps > 1e-3) odd.push(`rms_norm_eps is ${config.rms_norm_eps}; known models have 1e-5 or less.`);
  return odd;
}

function parseModelType(json: unknown, where: string): ModelType {
  const name = (json as { model_type?: unknown } | null)?.model_type;
  if (typeof name !== 'string') {
    throw new InputError(`${where}: it has no "model_type".`, 'Give the config.json of a language model.');
  }
  const known = MODEL_TYPES.find((type) => type === name);
  if (known) return known;
  throw new InputError(
    `${where}: the architecture "${name}" is not supported.`,
    `${didYouMean(name, MODEL_TYPES)} Other models can be sampled from a server: capo sample --endpoint URL.`,
  );
}

function refuseUnsupported(raw: RawConfig, where: string): void {
  const refuse = (what: string, remedy: string): never => {
    throw new InputError(`${where}: ${what}`, remedy);
  };
  const elsewhere = 'Sample this model from a server instead: capo sample --endpoint URL.';
  const slides = raw.use_sliding_window === true || raw.layer_types?.some((type) => type !== 'full_attention');
  if (slides) refuse('attention with a sliding window is not supported.', elsewhere);
  for (const key of ['rope_scaling', 'rope_parameters'] as const) {
    const kind = raw[key]?.rope_type ?? raw[key]?.type ?? 'default';
    if (kind !== 'default') {
      refuse(`${key}: the rotary scaling "${kind}" is not supported.`, `${elsewhere} Only "default" is computed here.`);
    }
    const part = raw[key]?.partial_rotary_factor ?? raw.partial_rotary_factor ?? 1;
    if (part !== 1) refuse(`a partial rotation (${part}) is not supported.`, elsewhere);
  }
  if (raw.hidden_act !== 'silu') refuse(`hidden_act: "${raw.hidden_act}" is not supported, only "silu".`, elsewhere);
  if (raw.mlp_bias) refuse('mlp_bias is not supported.', elsewhere);
  if (raw.quantization_config) {
    const method = raw.quantization_config.quant_method ?? 'an unknown method';
    refuse(`the weights are quantized by ${method}.`, 'Use the version of the model in BF16 or F32, or a GGUF file.');
  }
}

function headSizes(raw: RawConfig, modelType: ModelType, where: string) {
  const heads = raw.num_attention_heads;
  const keyValueHeads = raw.num_key_value_heads ?? heads;
  // Qwen3's head size is 128 where the file does not say, whatever hidden_size is (Qwen3Config of transformers).
  const headDim = raw.head_dim ?? (modelType === 'qwen3' ? 128 : raw.hidden_size / heads);
  const fail = (what: string): never => {
    throw new InputError(
      `${where}: ${what}`,
      'These sizes cannot belong together; correct them, or fetch the file again if it was downloaded.',
    );
  };
  if (!Number.isInteger(headDim)) {
    fail(`hidden_size ${raw.hidden_size} is not a multiple of num_attention_heads ${heads}.`);
  }
  if (headDim % 2 !== 0) fail(`head_dim ${headDim} is odd; the rotary embedding turns pairs.`);
  if (heads % keyValueHeads !== 0) {
    fail(`num_attention_heads ${heads} is not a multiple of num_key_value_heads ${keyValueHeads}.`);
  }
  return { num_attention_heads: heads, num_key_value_heads: keyValueHeads, head_dim: headDim };
}

function ropeTheta(raw: RawConfig, modelType: ModelType, where: string): number {
  const places = { rope_theta: raw.rope_theta, 'rope_parameters.rope_theta': raw.rope_parameters?.rope_theta };
  const given = Object.entries(places).filter(([, value]) => value != null);
  const [first, second] = given;
  if (second && first[1] !== second[1]) {
    throw new InputError(
      `${where}: ${first[0]} is ${first[1]} and ${second[0]} is ${second[1]}.`,
      'They are two places for one number; correct the wrong one.',
    );
  }
  if (first) return first[1] as number;
  // The first Llama models predate the key. Every Qwen model states its base, and none has the fallback.
  if (modelType === 'llama') return 10_000;
  throw new InputError(`${where}: rope_theta is missing.`, 'Add the rotary base of the model, for Qwen2.5 1000000.');
}
