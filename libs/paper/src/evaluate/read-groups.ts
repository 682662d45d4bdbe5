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

/** What was left out of numbers, and why. */
export interface Omissions {
  samples: number;
  noAnswer: number;
  graderErrors: number;
  timeouts: number;
  withoutSignal: number;
}

/** Notes that every report of samples owes its reader: replies without an answer, failures of the grader, missing signals. */
export function omissionNotes(groups: Iterable<Omissions>): string[] {
  const sum: Omissions = { samples: 0, noAnswer: 0, graderErrors: 0, timeouts: 0, withoutSignal: 0 };
  for (const group of groups) for (const key of Object.keys(sum) as (keyof Omissions)[]) sum[key] += group[key];
  const { samples, noAnswer, graderErrors, timeouts, withoutSignal } = sum;
  const notes: string[] = [];
  if (noAnswer > 0) notes.push(`${noAnswer} of ${samples} replies have no answer; they count as not correct.`);
  if (graderErrors + timeouts > 0) {
    notes.push(
      `${graderErrors + timeouts} samples have no verdict because their grader failed (${graderErrors} errors, ${timeouts} timeouts); they are in no number.`,
    );
  }
  if (withoutSignal > 0) notes.push(`${withoutSignal} samples lack the signal; they count for accuracy only.`);
  return notes;
}
