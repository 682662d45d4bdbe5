import { existsSync } from 'node:fs';
import {
  type AdamW,
  type AdamWState,
  type Decoder,
  readFloats,
  readSafetensors,
  type TensorSource,
  tensorOf,
  writeSafetensors,
} from '@capo/model';
import { InputError } from '@capo/samples';

/** The version of the checkpoint's layout; a reader refuses one that it does not know. */
const FORMAT = 'capo.checkpoint/1';

/** Where a run stands: all that a resumed run needs, since every random stream is a function of seed and step. */
export interface Checkpoint {
  /** Steps that are done. */
  step: number;
  weights: Map<string, Float32Array>;
  optimizer: AdamWState;
}

/** Writes weights, moments and the step to one safetensors file, atomically. */
export async function saveCheckpoint(
  path: string,
  configHash: string,
  step: number,
  decoder: Decoder,
  optimizer: AdamW,
) {
  const state = await optimizer.state();
  const tensors = new Map<string, TensorSource>();
  for (const [name, data] of await decoder.weights()) {
    const shape = decoder.parameters.get(name)?.shape ?? [];
    tensors.set(`weights.${name}`, tensorOf(data, shape));
    tensors.set(`moment1.${name}`, tensorOf(state.moment1.get(name) as Float32Array, shape));
    tensors.set(`moment2.${name}`, tensorOf(state.moment2.get(name) as Float32Array, shape));
  }
  const metadata = { format: FORMAT, configHash, step: String(step), optimizerStep: String(state.step) };
  writeSafetensors(path, tensors, metadata);
}

/**
 * Reads a checkpoint; undefined when there is none.
 *
 * @throws InputError for a file of another layout, of another configuration, or one that is damaged
 */
export function loadCheckpoint(path: string, configHash: string): Checkpoint | undefined {
  if (!existsSync(path)) return undefined;
  const { metadata, tensors } = readSafetensors(path);
  if (metadata.format !== FORMAT) {
    throw new InputError(`${path}: the checkpoint has the format ${metadata.format}; this version reads ${FORMAT}.`);
  }
  if (metadata.configHash !== configHash) {
    throw new InputError(
      `${path}: the checkpoint belongs to another configuration (${metadata.configHash}, not ${configHash}).`,
      'Remove the folder to start again, or restore the configuration.',
    );
  }
  const part = (prefix: string) => {
    const entries = [...tensors].filter(([name]) => name.startsWith(`${prefix}.`));
    return new Map(entries.map(([name, tensor]) => [name.slice(prefix.length + 1), readFloats(name, tensor)]));
  };
  return {
    step: Number(metadata.step),
    weights: part('weights'),
    optimizer: { step: Number(metadata.optimizerStep), moment1: part('moment1'), moment2: part('moment2') },
  };
}
