import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileError, InputError } from '@capo/samples';
import { checkTensors, type ModelConfig, parseModelConfig } from '../config/index.js';
import { openWeights, readFloats, type TensorSource } from '../safetensors/index.js';
import { Decoder } from './decoder.js';
import { parameterShapes, type Weights } from './parameters.js';
import { publishedNames } from './published-names.js';

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
