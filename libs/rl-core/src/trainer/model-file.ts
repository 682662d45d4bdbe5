import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Decoder, readFloats, readSafetensors, tensorOf, writeSafetensors } from '@capo/model';
import { ExternalError } from '@capo/samples';

const NAME = 'model.safetensors';

/** Writes a decoder's weights, in its own layout, to the run folder. */
export async function saveWeights(folder: string, decoder: Decoder): Promise<void> {
  const tensors = [...(await decoder.weights())].map(
    ([name, data]) => [name, tensorOf(data, decoder.parameters.get(name)?.shape ?? [])] as const,
  );
  writeSafetensors(join(folder, NAME), new Map(tensors));
}

/** The weights of a finished base model or training run. */
export function loadWeights(folder: string): Map<string, Float32Array> {
  const path = join(folder, NAME);
  if (!existsSync(path)) throw new ExternalError(`${path} is missing.`, 'Remove the folder and run the command again.');
  return new Map([...readSafetensors(path).tensors].map(([name, tensor]) => [name, readFloats(name, tensor)]));
}
