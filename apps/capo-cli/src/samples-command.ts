import { Flags } from '@oclif/core';
import { BaseCommand } from './base-command.js';

/**
 * What the commands share that read sample files: which confidence, and what is put together. Each sets `strict = false`
 * itself, since oclif reads that from the command's own class, to take any number of files.
 */
export abstract class SamplesCommand extends BaseCommand {
  static override baseFlags = {
    ...BaseCommand.baseFlags,
    signal: Flags.string({
      description: 'confidence: mean-logprob (lpm), sum-logprob, or the confidence field',
      default: 'mean-logprob',
    }),
    by: Flags.string({ description: 'what is put together', options: ['benchmark', 'run'], default: 'benchmark' }),
    resamples: Flags.integer({ description: 'bootstrap resamples', default: 1000, min: 1 }),
  };

  /** The options of `readGroups` from the flags. */
  protected async readOptions(flags: { signal: string; by: string }) {
    const { checkSignal } = await import('@capo/paper');
    return {
      signal: checkSignal(flags.signal),
      by: flags.by as 'benchmark' | 'run',
      onWarning: (message: string) => this.note(`Warning: ${message}`),
    };
  }
}
