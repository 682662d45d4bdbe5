import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileError, InputError, toJsonDocument, writeFileAtomic } from '@capo/samples';
import type { ModelConfig } from '../config/model-config.js';
import { readFloats, readSafetensors, tensorOf, writeSafetensors } from '../safetensors/index.js';
import { ADAPTER_TARGETS, Adapters, type AdapterTarget } from './adapters.js';

const PREFIX = 'base_model.model.';

/**
 * Writes adapters as PEFT reads them: `adapter_config.json` and `adapter_model.safetensors`, whose matrices are
 * [r, inputs] and [outputs, r].
 *
 * @param baseModel name or path of the model that they belong to
 */
export async function saveAdapters(adapters: Adapters, folder: string, baseModel: string): Promise<void> {
  const { rank, alpha, targets } = adapters.options;
  const tensors = new Map();
  for (const [name, variable] of adapters.parameters) {
    const [rows, columns] = variable.shape;
    const data = transpose(Float32Array.from(await variable.data()), rows, columns);
    tensors.set(`${PREFIX}${name}.weight`, tensorOf(data, [columns, rows]));
  }
  const config = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: baseModel,
    r: rank,
    lora_alpha: alpha,
    lora_dropout: 0,
    target_modules: [...targets],
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
  };
  writeFileAtomic(join(folder, 'adapter_config.json'), toJsonDocument(config));
  writeSafetensors(join(folder, 'adapter_model.safetensors'), tensors, { format: 'pt' });
}

/**
 * Reads adapters in PEFT's layout.
 *
 * @throws InputError for a folder without them, another kind of adapter, or matrices that do not fit the model
 */
export function loadAdapters(folder: string, model: ModelConfig): Adapters {
  const path = join(folder, 'adapter_config.json');
  let config: { peft_type?: string; r?: number; lora_alpha?: number; target_modules?: string[]; bias?: string };
  try {
    config = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new InputError(`${path}: not valid JSON: ${error.message}`);
    throw fileError(error, 'read', path);
  }
  const { peft_type: type, r: rank, lora_alpha: alpha, target_modules: targets, bias = 'none' } = config;
  if (type !== 'LORA' || !rank || !alpha || bias !== 'none' || !targets?.every(isTarget)) {
    throw new InputError(
      `${path}: not an adapter that this version reads.`,
      `It reads LORA with r, lora_alpha, bias "none" and target_modules out of ${ADAPTER_TARGETS.join(', ')}.`,
    );
  }
  const file = join(folder, 'adapter_model.safetensors');
  const weights = new Map<string, Float32Array>();
  for (const [name, tensor] of readSafetensors(file).tensors) {
    const [rows, columns] = tensor.shape;
    const key = name.replace(PREFIX, '').replace(/\.weight$/, '');
    weights.set(key, transpose(readFloats(name, tensor), rows, columns));
  }
  const none = { uniform: () => 0, integer: () => 0, normal: () => 0 };
  return new Adapters(model, { rank, alpha, targets }, none, weights);
}

function isTarget(name: string): name is AdapterTarget {
  return (ADAPTER_TARGETS as readonly string[]).includes(name);
}

function transpose(data: Float32Array, rows: number, columns: number): Float32Array {
  const turned = new Float32Array(data.length);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) turned[j * rows + i] = data[i * columns + j];
  }
  return turned;
}
