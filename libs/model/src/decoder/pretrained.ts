import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileError, InputError } from '@capo/samples';
import { checkTensors, type ModelConfig, parseModelConfig } from '../config/index.js';
import { openWeights, readFloats, type TensorSource } from '../safetensors/index.js';
import { Decoder } from './decoder.js';
import { parameterShapes, type Weights } from './parameters.js';

/**
 * Loads a pretrained model from a folder in Hugging Face's layout: `config.json` and safetensors, single or sharded. The
 * backend must be running.
 *
 * @throws InputError that names the file, the key or the tensor that is wrong
 */
export function loadPretrained(folder: string): Decoder {
  const path = join(folder, 'config.json');
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new InputError(`${path}: not valid JSON: ${error.message}`);
    throw fileError(error, 'read', path);
  }
  const config = parseModelConfig(json, path);
  const { tensors } = openWeights(folder);
  checkTensors(config, tensors, folder);
  return new Decoder(config, packWeights(config, tensors));
}

/**
 * Published weights in the decoder's own layout: matrices turned from [outputs, inputs] to [inputs, outputs], the query,
 * key and value projections side by side, and so the gate and up projections. Each is read when it is asked for, so that
 * the model is in memory once.
 */
function packWeights(config: ModelConfig, tensors: ReadonlyMap<string, TensorSource>): Weights {
  const shapes = parameterShapes(config);
  return {
    get(name) {
      const shape = shapes.get(name);
      if (!shape) return undefined;
      const sources = publishedNames(name).map((source) => tensors.get(source) as TensorSource);
      if (name !== 'embedding' && shape.length > 1) return sideBySide(sources, shape[0], shape[1]);
      return concatenate(sources.map((source) => readFloats(name, source)));
    },
  };
}

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

/** The published tensors that make up one of the decoder's parameters. */
function publishedNames(name: string): string[] {
  if (name === 'embedding') return ['model.embed_tokens.weight'];
  if (name === 'final_norm') return ['model.norm.weight'];
  if (name === 'head') return ['lm_head.weight'];
  const [, layer, part] = name.split('.');
  return PUBLISHED[part].map((published) => `model.layers.${layer}.${published}`);
}

function concatenate(parts: readonly Float32Array[]): Float32Array {
  if (parts.length === 1) return parts[0];
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let start = 0;
  for (const part of parts) {
    all.set(part, start);
    start += part.length;
  }
  return all;
}

/** Numbers of a matrix that are read and turned at a time. */
const PART = 1 << 20;

/** Matrices [outputs_k, inputs] as one matrix [inputs, outputs], their columns side by side. */
function sideBySide(sources: readonly TensorSource[], inputs: number, outputs: number): Float32Array {
  const packed = new Float32Array(inputs * outputs);
  const rowsAtOnce = Math.max(1, Math.floor(PART / inputs));
  let column = 0;
  for (const source of sources) {
    const rows = source.shape[0];
    for (let first = 0; first < rows; first += rowsAtOnce) {
      const last = Math.min(first + rowsAtOnce, rows);
      const part = source.read(first * inputs, last * inputs) as Float32Array;
      for (let row = 0; row < last - first; row++, column++) {
        for (let i = 0; i < inputs; i++) packed[i * outputs + column] = part[row * inputs + i];
      }
    }
  }
  return packed;
}
