import { basename } from 'node:path';
import { type EvaluationLine, readStepLog } from '@capo/rl-core';
import { loadSamples, type Sample } from '@capo/samples';
import { type Job, openJobFolder } from '../pipeline/job.js';

/** One finished training run: its evaluations by step, and its last samples. */
export interface ToyRun {
  /** The name that tables show. */
  method: string;
  seed: number;
  /** The name of the run's folder. */
  run: string;
  evaluations: EvaluationLine[];
  /** The samples of the last evaluation; only read where an interval within one run is needed. */
  samples: Sample[] | null;
}

/** Reads the results of a finished training job. */
export async function readToyRun(job: Job & { kind: 'train' }, method: string, withSamples: boolean): Promise<ToyRun> {
  const folder = openJobFolder(job);
  return {
    method,
    seed: job.seed,
    run: basename(folder.path),
    evaluations: readStepLog<EvaluationLine>(folder.file('evaluations.jsonl')),
    samples: withSamples ? await loadSamples([folder.file('samples.jsonl')]) : null,
  };
}
