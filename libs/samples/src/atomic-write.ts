import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileError } from './errors.js';

/**
 * Writes a whole file so that a reader sees the old content or the new one and never a part: a temporary file in the
 * same folder, flushed to the disk, then renamed. The folder is made when it is missing.
 *
 * @throws ExternalError when the disk is full or not writable; the old file is then untouched
 */
export function writeFileAtomic(path: string, data: string | Uint8Array): void {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(temporary, 'w');
    try {
      writeFileSync(file, data);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    discard(temporary);
    throw fileError(error, 'write', path);
  }
}

/** Removes what a failed write left, if anything; its own failure would hide the reason of the first one. */
function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The path leads through a file, so there is nothing to remove.
  }
}
