import { InputError, readSamples } from '@capo/samples';
import { SampleColumns, type Signal } from './sample-columns.js';

export interface ReadGroupsOptions {
  signal: Signal;
  /** What is put together: the samples of a benchmark, or of a benchmark within a run. */
  by: 'benchmark' | 'run';
  /** Told of what a reader should know, for instance a cut-off last line. */
  onWarning?: (message: string) => void;
}

/**
 * Reads sample files once, with memory for numbers only, and puts the samples into groups.
 *
 * @throws InputError for a bad file or one without samples
 */
export async function readGroups(
  paths: readonly string[],
  options: ReadGroupsOptions,
): Promise<Map<string, SampleColumns>> {
  const groups = new Map<string, SampleColumns>();
  for (const path of paths) {
    const reading = options.onWarning ? { onWarning: options.onWarning } : {};
    for await (const sample of readSamples(path, reading)) {
      const name = options.by === 'run' ? `${sample.run} ${sample.benchmark}` : sample.benchmark;
      let columns = groups.get(name);
      if (!columns) {
        columns = new SampleColumns(options.signal);
        groups.set(name, columns);
      }
      columns.add(sample);
    }
  }
  if (groups.size === 0) throw new InputError(`${paths.join(', ')}: no samples.`, 'Give a file that holds some.');
  return groups;
}

/** Notes that every report of samples owes its reader: what was left out and why. */
export function omissionNotes(groups: Iterable<SampleColumns>): string[] {
  let [ungraded, withoutSignal] = [0, 0];
  for (const columns of groups) {
    ungraded += columns.ungraded;
    withoutSignal += columns.withoutSignal;
  }
  const notes: string[] = [];
  if (ungraded > 0)
    notes.push(`${ungraded} samples have no verdict because their grader failed; they are in no number.`);
  if (withoutSignal > 0) notes.push(`${withoutSignal} samples lack the signal; they count for accuracy only.`);
  return notes;
}
