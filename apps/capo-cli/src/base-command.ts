import { CapoError } from '@capo/samples';
import { Command, Errors, Flags } from '@oclif/core';

/** What an error becomes in `--json`: no stack, no context of the process. */
interface ErrorDocument {
  error: { name: string; message: string; remedy: string | null; exitCode: number };
}

/**
 * What all commands share: the flags `--json`, `--seed`, `--out` and `--debug`, errors that say what to do, and the
 * exit codes (0 fine; 1 a check failed; 2 bad usage or input; 3 something outside failed).
 *
 * A command parses, calls a library and returns the data that `--json` prints; everything else that it has to say
 * goes to stdout only without `--json`, and progress and warnings always go to stderr.
 */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = true;

  static override baseFlags = {
    seed: Flags.integer({ description: 'seed of everything random', default: 1, min: 0, helpGroup: 'GLOBAL' }),
    out: Flags.string({ description: 'folder that results are written to', helpGroup: 'GLOBAL' }),
    debug: Flags.boolean({ description: 'show stack traces', helpGroup: 'GLOBAL' }),
  };

  /** A note for the person at the terminal, on stderr, so that stdout stays one document. */
  protected note(message: string): void {
    process.stderr.write(`${message}\n`);
  }

  protected override async catch(error: Error & { exitCode?: number }): Promise<unknown> {
    const exitCode = exitCodeOf(error);
    if (this.jsonEnabled()) {
      this.logJson(this.toErrorJson(error));
    } else {
      this.note(`Error: ${error.message}`);
      if (error instanceof CapoError && error.remedy) this.note(`  ${error.remedy}`);
    }
    if (process.argv.includes('--debug') && error.stack) this.note(error.stack);
    return this.exit(exitCode);
  }

  protected override toErrorJson(error: Error): ErrorDocument {
    const remedy = error instanceof CapoError ? (error.remedy ?? null) : null;
    return { error: { name: error.name, message: error.message, remedy, exitCode: exitCodeOf(error) } };
  }
}

/** The exit code of the contract for that error; a fault of our own is 70 (EX_SOFTWARE), never one of the four. */
function exitCodeOf(error: Error): number {
  if (error instanceof CapoError) return error.exitCode;
  if (error instanceof Errors.CLIError) return error.oclif.exit ?? 2;
  return 70;
}
