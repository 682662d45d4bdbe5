import { InterruptedError } from '@capo/samples';

/** How a trainer talks to whoever runs it. Trainers never print. */
export interface TrainerHooks {
  /** Called after every unit of work. `detail` is a short line for people. */
  onProgress?(done: number, total: number, detail: string): void;
  /** Threads that draw and compute, the calling one included; no number in a result depends on it. Default 1. */
  workers?: number;
  /** Asks the trainer to save and stop after the current step. */
  signal?: AbortSignal;
}

/**
 * Between two steps: lets the process handle signals and messages, and stops when asked to.
 *
 * @param save writes the checkpoint that the run goes on from
 * @throws InterruptedError after saving
 */
export async function yieldBetweenSteps(hooks: TrainerHooks, save: () => Promise<void>): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (!hooks.signal?.aborted) return;
  await save();
  throw new InterruptedError('Stopped; all finished work is saved.', 'Run the same command again to go on from here.');
}
