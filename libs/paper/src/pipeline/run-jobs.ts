import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { ExternalError, InputError, InterruptedError } from '@capo/samples';
import { baseJobOf, type Job, jobSize, openJobFolder } from './job.js';
import type { WorkerMessage } from './worker.js';

/** How far the whole work is. */
export interface PipelineProgress {
  /** The share that is done, in 0..1, by cost. */
  fraction: number;
  /** Estimated seconds to the end; null until enough is known. */
  secondsLeft: number | null;
  /** What the workers do, one short line each. */
  lines: string[];
}

export interface RunJobsOptions {
  /** Jobs side by side, each in a worker thread with a backend of its own. */
  workers: number;
  onProgress?: (progress: PipelineProgress) => void;
  /** Asks all workers to save and stop. */
  signal?: AbortSignal;
}

interface Entry {
  job: Job;
  label: string;
  done: number;
  detail: string;
  state: 'waiting' | 'running' | 'finished';
}

/**
 * Does the jobs, the base models that they need first, as many side by side as there are workers. Finished folders are
 * not done again. What a job computes does not depend on the number of workers.
 *
 * @throws InterruptedError when stopped; the error of the first job that fails, after the others have saved and stopped
 */
export async function runJobs(jobs: readonly Job[], options: RunJobsOptions): Promise<void> {
  const byPath = new Map<string, Entry>();
  const add = (job: Job) => {
    const folder = openJobFolder(job);
    const state = folder.finished ? 'finished' : 'waiting';
    const method = job.kind === 'base-model' ? 'base model' : job.config.method.name;
    if (!byPath.has(folder.path)) {
      byPath.set(folder.path, { job, label: `${method}, seed ${job.seed}`, done: 0, detail: '', state });
    }
  };
  for (const job of jobs) {
    if (job.kind === 'train') add(baseJobOf(job));
  }
  for (const job of jobs) add(job);
  const entries = [...byPath.values()].filter(({ state }) => state === 'waiting');
  if (entries.length === 0) return;

  const report = progressOf(entries, options.workers);
  const isReady = ({ job }: Entry) => job.kind !== 'train' || openJobFolder(baseJobOf(job)).finished;
  const workers = new Set<Worker>();
  const stopAll = () => {
    for (const worker of workers) worker.postMessage('stop');
  };
  options.signal?.addEventListener('abort', stopAll);
  let failure: Error | undefined;
  try {
    await new Promise<void>((resolve) => {
      const next = () => {
        if (
          workers.size === 0 &&
          (failure || options.signal?.aborted || entries.every(({ state }) => state === 'finished'))
        ) {
          resolve();
          return;
        }
        while (!failure && !options.signal?.aborted && workers.size < options.workers) {
          const entry = entries.find((candidate) => candidate.state === 'waiting' && isReady(candidate));
          if (!entry) return;
          entry.state = 'running';
          start(entry);
        }
      };
      const start = (entry: Entry) => {
        // From the build also when this file is read as source, since a worker thread cannot read TypeScript.
        const file = createRequire(import.meta.url).resolve('@capo/paper/worker');
        // Without the parent's flags, which may name conditions that lead to sources instead of builds.
        const worker = new Worker(file, { workerData: entry.job, execArgv: [] });
        workers.add(worker);
        let ended = false;
        const end = (error?: Error) => {
          if (ended) return;
          ended = true;
          workers.delete(worker);
          if (error) {
            failure ??= error;
            stopAll();
          } else {
            entry.state = 'finished';
          }
          next();
        };
        worker.on('message', (message: WorkerMessage) => {
          if (message.kind === 'done') end();
          else if (message.kind === 'error') end(toError(message, entry.label));
          else {
            entry.done = message.done;
            entry.detail = message.detail;
            options.onProgress?.(report());
          }
        });
        worker.on('error', (error) => end(new ExternalError(`${entry.label}: the worker failed: ${error.message}`)));
        worker.on('exit', () => end(new ExternalError(`${entry.label}: the worker ended without a result.`)));
      };
      next();
    });
  } finally {
    options.signal?.removeEventListener('abort', stopAll);
  }
  if (options.signal?.aborted) {
    throw new InterruptedError(
      'Stopped; all finished work is saved.',
      'Run the same command again to go on from here.',
    );
  }
  if (failure) throw failure;
}

/** A function that tells how far the entries are; the estimate counts only work done since it was made. */
function progressOf(entries: readonly Entry[], workers: number): () => PipelineProgress {
  const started = performance.now();
  const firstSeen = new Map<Entry, number>();
  const cost = ({ job }: Entry) => jobSize(job).steps * jobSize(job).costPerStep;
  const total = entries.reduce((sum, entry) => sum + cost(entry), 0);
  return () => {
    let done = 0;
    let fresh = 0;
    for (const entry of entries) {
      const { costPerStep } = jobSize(entry.job);
      // A resumed job starts in the middle; what it had done before says nothing about the speed.
      if (entry.done > 0 && !firstSeen.has(entry)) firstSeen.set(entry, entry.done - 1);
      done += entry.state === 'finished' ? cost(entry) : entry.done * costPerStep;
      fresh += Math.max(0, entry.done - (firstSeen.get(entry) ?? 0)) * costPerStep;
    }
    const seconds = (performance.now() - started) / 1000;
    const running = entries.filter(({ state }) => state === 'running');
    // The rate is measured with the workers that run now; the jobs that wait will use them all.
    const parallel = Math.min(workers, Math.max(1, entries.filter(({ state }) => state !== 'finished').length));
    const scale = running.length > 0 ? running.length / parallel : 1;
    return {
      fraction: done / total,
      secondsLeft: seconds < 5 || fresh === 0 ? null : ((total - done) / (fresh / seconds)) * scale,
      lines: running.map(({ label, done: steps, job, detail }) => `${label}: ${steps}/${jobSize(job).steps} ${detail}`),
    };
  };
}

function toError(message: WorkerMessage & { kind: 'error' }, label: string): Error {
  const Kind = message.exitCode === 2 ? InputError : message.exitCode === 3 ? ExternalError : undefined;
  if (message.name === 'InterruptedError') return new InterruptedError(message.message, message.remedy);
  if (Kind) return new Kind(`${label}: ${message.message}`, message.remedy);
  const error = new Error(`${label}: ${message.message}`);
  if (message.stack) error.stack = message.stack;
  return error;
}
