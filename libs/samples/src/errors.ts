/**
 * The errors that a person is meant to read.
 *
 * Every error says what was wrong, where, and what to do. The command line maps the class to its exit code: a failed
 * check is 1, bad usage or bad input is 2, something outside the program (disk, network, server) is 3. Any other
 * exception is a fault in this program.
 */
export abstract class CapoError extends Error {
  abstract readonly exitCode: 1 | 2 | 3;

  /**
   * @param message what was wrong and where
   * @param remedy what the reader can do about it
   */
  constructor(
    message: string,
    readonly remedy?: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** A check or a verdict failed; the program itself worked. */
export class CheckFailedError extends CapoError {
  readonly exitCode = 1;
}

/** The caller's arguments, configuration or data are wrong. */
export class InputError extends CapoError {
  readonly exitCode = 2;
}

/** Something outside the program failed: the disk is full, a server does not answer. */
export class ExternalError extends CapoError {
  readonly exitCode = 3;
}

/** The work was asked to stop before it was done; what is finished is kept and the same command goes on from there. */
export class InterruptedError extends CapoError {
  readonly exitCode = 3;
}

const DISK_REMEDIES: Record<string, string> = {
  ENOSPC: 'Free some disk space and run the same command again; finished work is kept.',
  EDQUOT: 'Your disk quota is used up; free some space and run the same command again.',
  EACCES: 'Check the permissions of the folder, or choose another one with --out.',
  EPERM: 'Check the permissions of the folder, or choose another one with --out.',
  EROFS: 'The file system is read-only; choose another folder with --out.',
  ENOTDIR: 'A part of the path is a file, not a folder; choose another folder with --out.',
  EISDIR: 'The path is a folder where a file is expected; choose another path.',
  ENOENT: 'Check the path for a spelling mistake.',
};

/**
 * Turns an error of the operating system about a file into one that names the file and a remedy. A missing or
 * unusable path that the caller gave is bad input; a full or failing disk is an external failure.
 */
export function fileError(error: unknown, action: string, path: string): CapoError {
  if (error instanceof CapoError) return error;
  const code = (error as NodeJS.ErrnoException)?.code ?? '';
  const reason = error instanceof Error ? error.message : String(error);
  const badInput = code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR';
  const Kind = badInput ? InputError : ExternalError;
  return new Kind(`Cannot ${action} ${path}: ${reason}`, DISK_REMEDIES[code]);
}
