import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { fileError } from '@capo/samples';

/**
 * The SHA-256 of each file by its path as given, read in parts: what a figure or table says about where it comes from.
 *
 * @throws InputError or ExternalError for a file that cannot be read
 */
export async function fileHashes(paths: readonly string[]): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const path of paths) {
    const hash = createHash('sha256');
    try {
      for await (const part of createReadStream(path)) hash.update(part as Uint8Array);
    } catch (error) {
      throw fileError(error, 'read', path);
    }
    hashes[path] = hash.digest('hex');
  }
  return hashes;
}
