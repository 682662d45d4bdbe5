import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileError, InputError } from '@capo/samples';
import { checkTensors, type ModelConfig, parseModelConfig } from '../config/index.js';
import { readGguf } from '../gguf/index.js';
import { openWeights, type TensorSource } from '../safetensors/index.js';

/** A model on the disk, whichever its format. */
export interface ModelFiles {
  format: 'safetensors' | 'gguf';
  /** Where configuration and tokenizer lie. */
  folder: string;
  config: ModelConfig;
  /** The configuration with all its keys, as in `config.json`. */
  configJson: Record<string, unknown>;
  /** Every tensor of the file under its published name, checked against the configuration. */
  tensors: ReadonlyMap<string, TensorSource>;
  /** How each tensor is stored, for instance `BF16` or `Q4_K`. */
  storage: ReadonlyMap<string, string>;
  /** The chat template inside of a GGUF file. */
  chatTemplate: string | null;
}

/**
 * Opens a model: a folder in the hub's layout, or a GGUF file. Only headers are read.
 *
 * @throws InputError that names the file, the key or the tensor that is wrong
 */
export async function openModel(path: string): Promise<ModelFiles> {
  if (path.endsWith('.gguf')) {
    const { config, configJson, tensors, chatTemplate } = await readGguf(path);
    const storage = new Map([...tensors].map(([name, tensor]) => [name, tensor.storage]));
    return { format: 'gguf', folder: dirname(path), config, configJson, tensors, storage, chatTemplate };
  }
  const configPath = join(path, 'config.json');
  const configJson = readConfig(path, configPath);
  const config = parseModelConfig(configJson, configPath);
  const { tensors } = openWeights(path);
  checkTensors(config, tensors, path);
  const storage = new Map([...tensors].map(([name, tensor]) => [name, tensor.dtype]));
  return { format: 'safetensors', folder: path, config, configJson, tensors, storage, chatTemplate: null };
}

function readConfig(path: string, configPath: string): Record<string, unknown> {
  if (existsSync(path) && !statSync(path).isDirectory()) {
    throw new InputError(`${path} is neither a folder nor a GGUF file.`, 'Give the folder that holds config.json.');
  }
  try {
    return JSON.parse(readFileSync(configPath, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw fileError(error, 'read', configPath);
    throw new InputError(`${configPath}: not valid JSON: ${error.message}`, 'Fetch the file again.');
  }
}
