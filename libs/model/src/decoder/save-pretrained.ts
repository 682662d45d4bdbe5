import { join } from 'node:path';
import { toJsonDocument, writeFileAtomic } from '@capo/samples';
import { copyTokenizer } from '../model-files/copy-tokenizer.js';
import { openModel } from '../model-files/open-model.js';
import { type TensorSource, tensorOf, writeWeights } from '../safetensors/index.js';
import type { Decoder } from './decoder.js';
import { publishedNames, publishedWidths } from './published-names.js';

/**
 * Writes a decoder as a model folder in Hugging Face's layout, in float32: the opposite of `loadPretrained`. Config and
 * tokenizer are those of the folder that it was loaded from. Adapters are added to the weights.
 */
export async function savePretrained(decoder: Decoder, target: string, origin: string): Promise<void> {
  const tensors = new Map<string, TensorSource>();
  for (const [name, data] of await decoder.weights()) {
    const shape = decoder.parameters.get(name)?.shape ?? [];
    const merged = (await decoder.adapters?.merged(name, data)) ?? data;
    for (const [published, tensor] of unpack(decoder, name, merged, shape)) tensors.set(published, tensor);
  }
  const model = await openModel(origin);
  copyTokenizer(model.folder, target);
  writeFileAtomic(join(target, 'config.json'), toJsonDocument({ ...model.configJson, torch_dtype: 'float32' }));
  writeWeights(target, tensors, { maxShardBytes: 5e9 });
}

/** The published tensors of one parameter: matrices turned back to [outputs, inputs] and taken apart. */
function unpack(
  decoder: Decoder,
  name: string,
  data: Float32Array,
  shape: readonly number[],
): [string, TensorSource][] {
  const names = publishedNames(name);
  if (name === 'embedding') return [[names[0], tensorOf(data, shape)]];
  const outputs = shape[shape.length - 1];
  const inputs = shape.length > 1 ? shape[0] : 1;
  let first = 0;
  return publishedWidths(decoder.config, name, outputs).map((width, part) => {
    const values = new Float32Array(width * inputs);
    for (let column = 0; column < width; column++) {
      for (let i = 0; i < inputs; i++) values[column * inputs + i] = data[i * outputs + first + column];
    }
    first += width;
    return [names[part], tensorOf(values, shape.length > 1 ? [width, inputs] : [width])];
  });
}
