// The entry of a compute thread: makes the models in a backend of its own and does shards of work until it is ended.
import { parentPort, workerData } from 'node:worker_threads';
import { useBackend } from '@capo/model';
import { adoptWeights, openModels, type SharedModels } from './shared-models.js';
import { perform, type Task, type TaskResults } from './task.js';

/** A shard of work and the version of the policy's weights that it is to be done with. */
export interface TaskMessage {
  version: number;
  task: Task;
}

/** What a thread answers, in the order of the tasks. */
export type TaskReply =
  | { result: TaskResults[keyof TaskResults] }
  | { error: { name: string; message: string; stack?: string } };

const port = parentPort;
if (port) {
  await useBackend('wasm');
  const shared = workerData as SharedModels;
  const models = openModels(shared);
  // The memory may be newer than this version by now; the first task of a later one reads it again.
  let version = 0;
  port.on('message', (message: TaskMessage) => {
    try {
      if (message.version !== version) adoptWeights(models.policy, shared);
      version = message.version;
      const result = perform(models, message.task);
      port.postMessage(
        { result } satisfies TaskReply,
        'gradient' in result ? [result.gradient.buffer as ArrayBuffer] : [],
      );
    } catch (error) {
      const { name, message: text, stack } = error as Error;
      port.postMessage({ error: { name, message: text, ...(stack && { stack }) } } satisfies TaskReply);
    }
  });
}
