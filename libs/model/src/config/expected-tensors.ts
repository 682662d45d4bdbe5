import { InputError } from '@capo/samples';
import type { TensorSource } from '../safetensors/index.js';
import type { ModelConfig } from './model-config.js';

/**
 * The names and shapes of all tensors that a model of this configuration consists of, in the order of the computation.
 * Linear layers are stored as [outputs, inputs]. `lm_head.weight` is among them only when the embeddings are not tied.
 */
export function expectedTensors(config: ModelConfig): Map<string, number[]> {
  const { hidden_size: hidden, intermediate_size: inner, head_dim: headDim, vocab_size: vocabulary } = config;
  const query = config.num_attention_heads * headDim;
  const keyValue = config.num_key_value_heads * headDim;
  const tensors = new Map<string, number[]>([['model.embed_tokens.weight', [vocabulary, hidden]]]);
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const add = (name: string, ...shape: number[]) => tensors.set(`model.layers.${layer}.${name}`, shape);
    add('input_layernorm.weight', hidden);
    for (const [part, outputs] of [
      ['q', query],
      ['k', keyValue],
      ['v', keyValue],
    ] as const) {
      add(`self_attn.${part}_proj.weight`, outputs, hidden);
      if (config.attention_bias) add(`self_attn.${part}_proj.bias`, outputs);
    }
    if (config.qk_norm) {
      add('self_attn.q_norm.weight', headDim);
      add('self_attn.k_norm.weight', headDim);
    }
    add('self_attn.o_proj.weight', hidden, query);
    if (config.attention_output_bias) add('self_attn.o_proj.bias', hidden);
    add('post_attention_layernorm.weight', hidden);
    add('mlp.gate_proj.weight', inner, hidden);
    add('mlp.up_proj.weight', inner, hidden);
    add('mlp.down_proj.weight', hidden, inner);
  }
  tensors.set('model.norm.weight', [hidden]);
  if (!config.tie_word_embeddings) tensors.set('lm_head.weight', [vocabulary, hidden]);
  return tensors;
}

/** The number of parameters of a model of this configuration; tied embeddings count once. */
export function parameterCount(config: ModelConfig): number {
  const sizes = [...expectedTensors(config).values()].map((shape) => shape.reduce((a, b) => a * b, 1));
  return sizes.reduce((a, b) => a + b, 0);
}

/** Tensors that files of some versions carry and that are computed from the configuration. */
const DERIVED = /^model\.layers\.\d+\.self_attn\.rotary_emb\.inv_freq$/;

const HEAD = 'lm_head.weight';
const EMBEDDING = 'model.embed_tokens.weight';

/**
 * Checks that the tensors of a file are those of the configuration: none missing, none besides, each of the right shape
 * and a float. A file of a tied model may carry `lm_head.weight` if it equals the embedding.
 *
 * @param where the file or folder, for messages
 * @throws InputError that names the tensors
 */
export function checkTensors(config: ModelConfig, tensors: ReadonlyMap<string, TensorSource>, where: string): void {
  const expected = expectedTensors(config);
  const missing = [...expected.keys()].filter((name) => !tensors.has(name));
  if (missing.includes(HEAD)) {
    throw new InputError(
      `${where}: "${HEAD}" is missing, and the config's tie_word_embeddings is false.`,
      'If the model ties its embeddings set tie_word_embeddings to true; otherwise fetch the file that holds the head.',
    );
  }
  if (missing.length > 0) {
    throw new InputError(
      `${where}: ${count(missing)} missing: ${list(missing)}.`,
      'The weights do not belong to this config.json, or a file is incomplete; fetch the model again.',
    );
  }
  const extra = [...tensors.keys()].filter((name) => !expected.has(name) && !DERIVED.test(name) && name !== HEAD);
  if (extra.length > 0) {
    throw new InputError(
      `${where}: ${count(extra)} not part of the model that config.json describes: ${list(extra)}.`,
      'Ignoring them would compute another model; check model_type and the sizes in config.json.',
    );
  }
  for (const [name, shape] of expected) checkShape(name, shape, tensors.get(name)!, where);
  if (config.tie_word_embeddings && tensors.has(HEAD)) checkTie(config, tensors, where);
}

function checkShape(name: string, shape: readonly number[], tensor: TensorSource, where: string): void {
  if (`${tensor.shape}` !== `${shape}`) {
    throw new InputError(
      `${where}: tensor "${name}" has the shape [${tensor.shape}], the config asks for [${shape}].`,
      'The weights do not belong to this config.json; fetch the model again.',
    );
  }
  if (!/^B?F\d/.test(tensor.dtype))
    throw new InputError(`${where}: tensor "${name}" holds ${tensor.dtype}, not floats.`);
}

function checkTie(config: ModelConfig, tensors: ReadonlyMap<string, TensorSource>, where: string): void {
  const [head, embedding] = [tensors.get(HEAD)!, tensors.get(EMBEDDING)!];
  checkShape(HEAD, [config.vocab_size, config.hidden_size], head, where);
  // A block of rows at a time, since either matrix may be a third of the model.
  const block = Math.max(1, Math.floor((1 << 22) / config.hidden_size));
  for (let row = 0; row < config.vocab_size; row += block) {
    const range = [row * config.hidden_size, Math.min(row + block, config.vocab_size) * config.hidden_size] as const;
    const [a, b] = [head.read(...range), embedding.read(...range)];
    if (a.some((value, i) => value !== b[i])) {
      throw new InputError(
        `${where}: tie_word_embeddings is true, but "${HEAD}" differs from "${EMBEDDING}".`,
        `Set tie_word_embeddings to false to use the head, or remove the tensor "${HEAD}" from the file.`,
      );
    }
  }
}

function count(names: string[]): string {
  return names.length === 1 ? 'one tensor is' : `${names.length} tensors are`;
}

function list(names: string[]): string {
  const shown = names.slice(0, 5).map((name) => `"${name}"`);
  return names.length > shown.length ? `${shown.join(', ')}, ...` : shown.join(', ');
}
