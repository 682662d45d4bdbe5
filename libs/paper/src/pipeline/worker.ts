// The entry of a worker thread: does one job, reports progress, and stops cleanly when it is told to.
import { parentPort, workerData } from 'node:worker_threads';
import { CapoError } from '@capo/samples';
import { type Job, runJob } from './job.js';

/** What a worker is given. */
export interface WorkerInput {
  job: Job;
  /** Threads that the job may compute with, its own included. */
  workers: number;
}

/** What a worker says to its parent. */
export type WorkerMessage =
  | { kind: 'progress'; done: number; detail: string }
  | { kind: 'done' }
  | { kind: 'error'; name: string; message: string; remedy?: string; exitCode?: number; stack?: string };

const port = parentPort;
if (port) {
  const controller = new AbortController();
  port.on('message', () => controller.abort());
  const send = (message: WorkerMessage) => port.postMessage(message);
  try {
    const { job, workers } = workerData as WorkerInput;
    await runJob(job, {
      workers,
      onProgress: (done, _total, detail) => send({ kind: 'progress', done, detail }),
      signal: controller.signal,
    });
    send({ kind: 'done' });
  } catch (error) {
    const { name, message, stack } = error as Error;
    const known = error instanceof CapoError ? { remedy: error.remedy, exitCode: error.exitCode } : {};
    send({ kind: 'error', name, message, stack, ...known } as WorkerMessage);
  } finally {
    port.close();
  }
}
