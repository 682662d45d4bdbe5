import { basename } from 'node:path';
import { type EvaluationLine, readStepLog } from '@capo/rl-core';
import { loadSamples, type Sample } from '@capo/samples';
import { type Job, openJobFolder } from '../pipeline/job.js';
import { type SuiteVotes, suiteVotes } from './toy-votes.js';

/** The name of the model that training starts from. */
export const BASE_METHOD = 'base';

/** One finished run, or the base model of a seed: its evaluations by step and what its last samples give. */
export interface ToyRun {
  /** The name that tables show. */
  method: string;
  seed: number;
  /** The name of the run's folder. */
  run: string;
  evaluations: EvaluationLine[];
  votes: SuiteVotes[];
  /** The samples of the last evaluation; kept only where an interval within one run is needed. */
  samples: Sample[] | null;
}

/** Reads the results of a finished job. */
export async function readToyRun(job: Job, method: string, keepSamples: boolean): Promise<ToyRun> {
  const folder = openJobFolder(job);
  const samples = await loadSamples([folder.file('samples.jsonl')]);
  return {
    method,
    seed: job.seed,
    run: basename(folder.path),
    evaluations: readStepLog<EvaluationLine>(folder.file('evaluations.jsonl')),
    votes: suiteVotes(samples),
    samples: keepSamples ? samples : null,
  };
}
