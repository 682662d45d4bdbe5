import { InputError } from './errors.js';
import { type ReadJsonlOptions, readJsonl } from './jsonl.js';
import { parseSample, type Sample } from './sample.js';

/**
 * Reads the samples of a file one by one, checking every record.
 *
 * @throws InputError with file:line for a record that does not fit the schema or an id that occurs twice
 */
export async function* readSamples(path: string, options: ReadJsonlOptions = {}): AsyncGenerator<Sample> {
  const seen = new Set<string>();
  for await (const { value, where } of readJsonl(path, options)) {
    const sample = parseSample(value, where);
    if (seen.has(sample.id)) {
      throw new InputError(
        `${where}: the sample id "${sample.id}" occurs twice.`,
        'Each sample may stand in a file once.',
      );
    }
    seen.add(sample.id);
    yield sample;
  }
}

/** All samples of the files, in order. For files too large for memory use `readSamples`. */
export async function loadSamples(paths: readonly string[], options: ReadJsonlOptions = {}): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const path of paths) for await (const sample of readSamples(path, options)) samples.push(sample);
  return samples;
}
