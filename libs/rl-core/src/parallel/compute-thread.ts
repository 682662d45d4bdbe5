import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { ExternalError } from '@capo/samples';
import type { TaskMessage, TaskReply } from './compute-worker.js';
import type { SharedModels } from './shared-models.js';
import type { Task, TaskOf, TaskResults } from './task.js';

interface Waiting {
  resolve(result: TaskResults[keyof TaskResults]): void;
  reject(error: Error): void;
}

/** A thread that does shards of work in the order that they are given. */
export class ComputeThread {
  private readonly worker: Worker;
  private readonly waiting: Waiting[] = [];
  private failure: Error | undefined;

  constructor(models: SharedModels) {
    // From the build also when this file is read as source, since a worker thread cannot read TypeScript.
    const file = createRequire(import.meta.url).resolve('@capo/rl-core/compute-worker');
    // Without the parent's flags, which may name conditions that lead to sources instead of builds.
    this.worker = new Worker(file, { workerData: models, execArgv: [] });
    this.worker.on('message', (reply: TaskReply) => this.settle(reply));
    this.worker.on('error', (error) => this.fail(error.message));
    this.worker.on('exit', (code) => this.fail(`it ended with code ${code}`));
  }

  /** @throws ExternalError when the thread has ended or ends before it is done; the error of the task when that fails */
  run<K extends Task['kind']>(task: TaskOf<K>, version: number): Promise<TaskResults[K]> {
    if (this.failure) return Promise.reject(this.failure);
    const result = new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
    // The caller may be at work in this thread when the other fails, and looks at the promise later.
    result.catch(() => {});
    this.worker.postMessage({ version, task } satisfies TaskMessage);
    return result as Promise<TaskResults[K]>;
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private settle(reply: TaskReply): void {
    const waiting = this.waiting.shift();
    if ('result' in reply) waiting?.resolve(reply.result);
    else waiting?.reject(Object.assign(new Error(reply.error.message), reply.error));
  }

  private fail(reason: string): void {
    this.failure ??= new ExternalError(
      `A compute thread failed: ${reason}.`,
      'Run the same command again to go on from the last checkpoint; with --workers 1 there are no such threads.',
    );
    for (const { reject } of this.waiting.splice(0)) reject(this.failure);
  }
}
