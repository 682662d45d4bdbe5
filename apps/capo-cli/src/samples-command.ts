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

  /** Where a result comes from: this command with all its flags, and the hashes of the sample files. */
  protected async provenance(positional: readonly string[], files: readonly string[], flags: Record<string, unknown>) {
    const { fileHashes } = await import('@capo/paper');
    // Where files are written and how errors are shown changes nothing in them.
    const { out, json, debug, ...shaping } = flags;
    const options = Object.entries(shaping).flatMap(([name, value]) => {
      if (value === undefined || value === false) return [];
      return value === true ? [`--${name}`] : [`--${name}`, String(value)];
    });
    const words = ['capo', ...(this.id ?? '').split(':'), ...positional, ...options];
    return { command: words.map(shellWord).join(' '), inputs: await fileHashes(files) };
  }

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

/** The word as a shell reads it. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
