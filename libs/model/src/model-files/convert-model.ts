import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InputError, toJsonDocument, writeFileAtomic } from '@capo/samples';
import { expectedTensors } from '../config/index.js';
import { type Dtype, type TensorSource, tensorBytes, writeWeights } from '../safetensors/index.js';
import { copyTokenizer } from './copy-tokenizer.js';
import { openModel } from './open-model.js';

export interface ConvertOptions {
  /** The format of the weights that are written; by default floats stay and quantized weights become F32. */
  dtype?: Extract<Dtype, 'F32' | 'BF16' | 'F16'> | undefined;
  /** The most bytes of one file of weights. Default 5 GB, as on the hub. */
  maxShardBytes?: number | undefined;
  /** A folder whose tokenizer is taken along, for a GGUF file that has none beside it. */
  tokenizer?: string | undefined;
}

export interface ConvertedModel {
  folder: string;
  tensors: number;
  /** Bytes of the weights. */
  bytes: number;
  /** Files that were copied beside the weights. */
  copied: string[];
}

/** The names that `torch_dtype` has for the formats. */
const TORCH_NAMES: Partial<Record<Dtype, string>> = { F32: 'float32', BF16: 'bfloat16', F16: 'float16' };

/**
 * Writes a model in the hub's layout: from a GGUF file, or from a folder in another number format or other shards. The
 * weights go through memory in parts, whatever the size of the model.
 *
 * @throws InputError for a target folder that holds a model already, or a value that does not fit the format
 */
export async function convertModel(
  source: string,
  target: string,
  options: ConvertOptions = {},
): Promise<ConvertedModel> {
  const model = await openModel(source);
  refuseOccupied(target, model.folder);
  const tensors = new Map<string, TensorSource>();
  // What is not expected is redundant: rotary frequencies, or the head of a tied model.
  for (const name of expectedTensors(model.config).keys()) {
    const tensor = model.tensors.get(name) as TensorSource;
    tensors.set(name, { ...tensor, dtype: options.dtype ?? tensor.dtype });
  }
  mkdirSync(target, { recursive: true });
  const copied = copyTokenizer(options.tokenizer ?? model.folder, target);
  if (
    model.chatTemplate &&
    !copied.some((name) => name === 'chat_template.jinja' || name === 'tokenizer_config.json')
  ) {
    writeFileAtomic(join(target, 'chat_template.jinja'), model.chatTemplate);
    copied.push('chat_template.jinja');
  }
  const { dtype } = tensors.get('model.embed_tokens.weight') as TensorSource;
  const config = { ...model.configJson, torch_dtype: TORCH_NAMES[dtype] };
  writeFileAtomic(join(target, 'config.json'), toJsonDocument(config));
  writeWeights(target, tensors, { maxShardBytes: options.maxShardBytes ?? 5e9 });
  const bytes = [...tensors.values()].reduce((sum, tensor) => sum + tensorBytes(tensor), 0);
  return { folder: target, tensors: tensors.size, bytes, copied };
}

function refuseOccupied(target: string, source: string): void {
  const names = existsSync(target) ? readdirSync(target) : [];
  if (resolve(target) === resolve(source) || names.some((name) => name.includes('.safetensors'))) {
    throw new InputError(`${target} holds a model already.`, 'Choose an empty or new folder with --out.');
  }
}
