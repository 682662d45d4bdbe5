import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileError, InputError } from '@capo/samples';
import { type GGUFParseOutput, gguf } from '@huggingface/gguf';
import { checkTensors, type ModelConfig, parseModelConfig } from '../config/index.js';
import type { TensorSource } from '../safetensors/index.js';
import { BLOCK_FORMATS, type BlockFormat, blockFormat } from './dequantize.js';
import { ggufConfig } from './gguf-config.js';
import { publishedName } from './tensor-names.js';

/** One tensor of a GGUF file under its published name; quantized weights are read as float32. */
export interface GgufTensor extends TensorSource {
  /** How it is stored, for instance `Q4_K`. */
  storage: string;
}

/** A model in a GGUF file. */
export interface GgufModel {
  config: ModelConfig;
  /** The same with the keys of `config.json`, special tokens included. */
  configJson: Record<string, unknown>;
  tensors: Map<string, GgufTensor>;
  /** The chat template that the file carries, if any. */
  chatTemplate: string | null;
}

/**
 * Opens a model in a GGUF file under the hub's names and shapes. The values stay on the disk until they are read.
 *
 * @throws InputError for a file that is no GGUF file, is cut off, or holds a model or format that is not supported
 */
export async function readGguf(path: string): Promise<GgufModel> {
  const parsed = await parse(path);
  const metadata: Readonly<Record<string, unknown>> = { ...parsed.metadata };
  const places = tensorPlaces(parsed, path);
  const embedding = places.get('model.embed_tokens.weight');
  const configJson = ggufConfig(
    metadata,
    {
      vocabSize: embedding?.shape[0] ?? 0,
      hasHead: places.has('lm_head.weight'),
      hasAttentionBias: places.has('model.layers.0.self_attn.q_proj.bias'),
    },
    path,
  );
  const config = parseModelConfig(configJson, path);
  const tensors = new Map<string, GgufTensor>();
  for (const [name, place] of places) tensors.set(name, tensorAt(path, name, place, rowOrder(name, config)));
  checkTensors(config, tensors, path);
  const template = metadata['tokenizer.chat_template'];
  return { config, configJson, tensors, chatTemplate: typeof template === 'string' ? template : null };
}

interface Place {
  format: BlockFormat;
  shape: number[];
  start: number;
}

async function parse(path: string): Promise<GGUFParseOutput> {
  try {
    statSync(path);
  } catch (error) {
    throw fileError(error, 'read', path);
  }
  try {
    return await gguf(resolve(path), { allowLocalFile: true });
  } catch (error) {
    throw new InputError(`${path}: not a usable GGUF file: ${(error as Error).message}`, 'Fetch the file again.');
  }
}

function tensorPlaces(parsed: GGUFParseOutput, path: string): Map<string, Place> {
  const fileBytes = statSync(path).size;
  const places = new Map<string, Place>();
  for (const { name, shape: reversed, dtype, offset } of parsed.tensorInfos) {
    const format = blockFormat(dtype);
    if (!format) {
      throw new InputError(
        `${path}: tensor "${name}" is stored in a format (number ${dtype}) that is not supported.`,
        `Supported: ${BLOCK_FORMATS.join(', ')}. Use the version of the model in one of them, for instance Q8_0.`,
      );
    }
    // GGUF counts dimensions from the innermost.
    const shape = reversed.map(Number).reverse();
    const weights = shape.reduce((product, size) => product * size, 1);
    const start = Number(parsed.tensorDataOffset + offset);
    const end = start + (weights / format.weights) * format.bytes;
    if ((shape.at(-1) ?? 0) % format.weights !== 0) {
      throw new InputError(
        `${path}: tensor "${name}" of shape [${shape}] does not divide into blocks of ${format.name}.`,
      );
    }
    if (end > fileBytes) {
      throw new InputError(
        `${path}: tensor "${name}" ends at byte ${end}, the file at byte ${fileBytes}: it is cut off.`,
        'The file was not downloaded completely; fetch it again.',
      );
    }
    const published = publishedName(name);
    if (places.has(published)) throw new InputError(`${path}: tensor "${name}" occurs twice.`);
    places.set(published, { format, shape, start });
  }
  return places;
}

/**
 * GGUF files of Llama models store the rows of the query and key projections so that the two numbers that the rotary
 * embedding turns together stand side by side; published weights have them half a head apart. The function gives, for
 * a published row, the row of the file.
 */
function rowOrder(name: string, config: ModelConfig): ((row: number) => number) | undefined {
  if (config.model_type !== 'llama' || !/self_attn\.[qk]_proj\./.test(name)) return undefined;
  const size = config.head_dim;
  return (row) => {
    const within = row % size;
    return row - within + 2 * (within % (size / 2)) + Math.floor(within / (size / 2));
  };
}

function tensorAt(path: string, name: string, place: Place, order?: (row: number) => number): GgufTensor {
  const { format, shape } = place;
  const rows = shape.length > 1 || order ? shape[0] : 1;
  const rowLength = shape.reduce((product, size) => product * size, 1) / rows;
  const isPlain = format.name === 'F32' || format.name === 'F16' || format.name === 'BF16';
  return {
    dtype: isPlain ? (format.name as 'F32' | 'F16' | 'BF16') : 'F32',
    shape,
    storage: format.name,
    read: (start = 0, end = rows * rowLength) => {
      const first = Math.floor(start / rowLength);
      const last = Math.ceil(end / rowLength);
      const values = readRows(path, name, place, rowLength, first, last, order);
      return values.subarray(start - first * rowLength, end - first * rowLength);
    },
  };
}

function readRows(
  path: string,
  name: string,
  { format, start }: Place,
  rowLength: number,
  first: number,
  last: number,
  order: ((row: number) => number) | undefined,
): Float32Array {
  const rowBytes = (rowLength / format.weights) * format.bytes;
  const values = new Float32Array((last - first) * rowLength);
  // Rows that follow each other are read together, up to a megabyte.
  const together = order ? 1 : Math.max(1, Math.floor((1 << 20) / rowBytes));
  const raw = new Uint8Array(rowBytes * Math.min(together, last - first));
  const file = openSync(path, 'r');
  try {
    for (let row = first; row < last; row += together) {
      const part = raw.subarray(0, rowBytes * Math.min(together, last - row));
      const position = start + (order ? order(row) : row) * rowBytes;
      if (readSync(file, part, 0, part.length, position) < part.length) {
        throw new InputError(`${path}: tensor "${name}" is cut off.`, 'The file changed while it was read; try again.');
      }
      format.decode(part, values, (row - first) * rowLength);
    }
  } finally {
    closeSync(file);
  }
  return values;
}
