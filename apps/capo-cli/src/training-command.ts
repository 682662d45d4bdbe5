import { availableParallelism } from 'node:os';
import { Flags } from '@oclif/core';
import { BaseCommand } from './base-command.js';
import { interruptSignal } from './interrupt.js';
import { createProgress } from './progress.js';

/** What the commands share that train: where run folders are, how many workers, a configuration file. */
export abstract class TrainingCommand extends BaseCommand {
  static override baseFlags = {
    ...BaseCommand.baseFlags,
    config: Flags.string({ description: 'YAML or JSON file with what differs from the protocol' }),
    runs: Flags.string({ description: 'folder of the run folders; finished runs there are reused', default: 'runs' }),
    workers: Flags.integer({
      description:
        'threads that compute: runs side by side, then the parts of a step; no result depends on it (default: the cores)',
      min: 1,
    }),
  };

  /** Runs long work with progress on stderr and a clean stop at Ctrl-C. */
  protected async withProgress<T>(workers: number | undefined, work: (options: WorkOptions) => Promise<T>): Promise<T> {
    const progress = createProgress();
    const interrupt = interruptSignal((message) => this.note(message));
    try {
      return await work({
        workers: workers ?? availableParallelism(),
        signal: interrupt.signal,
        onProgress: ({ fraction, secondsLeft, lines }) => progress.update(fraction, secondsLeft, lines.join(' | ')),
      });
    } finally {
      progress.stop();
      interrupt.release();
    }
  }
}

interface WorkOptions {
  workers: number;
  signal: AbortSignal;
  onProgress(progress: { fraction: number; secondsLeft: number | null; lines: string[] }): void;
}
