import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ExternalError, fileError } from '@capo/samples';
import { type HubClient, PassingFailure } from './hub-client.js';

/** A file as the hub lists it. */
export interface HubFile extends ExpectedFile {
  bytes: number;
  /** SHA-256 of large files, the git object id (SHA-1 with a header) of the others. */
  hash: { kind: 'sha256' | 'git'; value: string };
}

/** A file to fetch, and what is known of it before it arrives; whoever fetches an unknown one checks it afterwards. */
export interface ExpectedFile {
  name: string;
  bytes: number | null;
  hash: { kind: 'sha256' | 'git'; value: string } | null;
}

/**
 * Brings one file to its place, complete and checked, or not at all. What an earlier attempt left is gone on with; a
 * file that is there already is checked and kept.
 *
 * @returns whether bytes had to be fetched
 * @throws ExternalError when what arrives is not what the hub lists
 */
export async function downloadFile(
  client: HubClient,
  url: string,
  file: ExpectedFile,
  path: string,
  onBytes: (bytes: number) => void,
): Promise<boolean> {
  if (existsSync(path) && (await matches(path, file))) return false;
  // The hash in the name keeps the parts of two versions apart.
  const version = file.hash?.value ?? createHash('sha256').update(url).digest('hex');
  const part = join(dirname(path), `.${basename(path)}.${version.slice(0, 12)}.part`);
  try {
    mkdirSync(dirname(path), { recursive: true });
    for (let attempt = 1; ; attempt++) {
      await fill(client, url, file, part, onBytes);
      if (!file.hash || (await matches(part, file))) break;
      rmSync(part);
      if (attempt === 2) {
        throw new ExternalError(
          `${file.name}: what arrived has another hash than the hub lists (${file.hash?.value}).`,
          'Something between here and the hub changes files; try another network or set HF_ENDPOINT.',
        );
      }
    }
    renameSync(part, path);
  } catch (error) {
    throw typeof (error as NodeJS.ErrnoException).code === 'string' ? fileError(error, 'write', path) : error;
  }
  return true;
}

/** Fetches what the part lacks. */
async function fill(
  client: HubClient,
  url: string,
  file: ExpectedFile,
  part: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const size = () => (existsSync(part) ? statSync(part).size : 0);
  if (file.bytes !== null && size() > file.bytes) rmSync(part);
  if (size() === file.bytes && existsSync(part)) return;
  const headers = (): Record<string, string> => (size() > 0 ? { range: `bytes=${size()}-` } : {});
  await client.request(url, headers, async (response, alive) => {
    const start = rangeStart(response);
    if (response.status === 416 || (start !== 0 && start !== size())) {
      await response.body?.cancel();
      rmSync(part, { force: true });
      throw new PassingFailure('the server does not go on where the file ends');
    }
    const out = openSync(part, start === 0 ? 'w' : 'a');
    let isTooLong = false;
    try {
      let position = start;
      for await (const chunk of chunksOf(response)) {
        alive();
        position += chunk.length;
        if (file.bytes !== null && position > file.bytes) {
          isTooLong = true;
          throw new ExternalError(`${file.name}: more arrives than the ${file.bytes} bytes that the hub lists.`);
        }
        for (let written = 0; written < chunk.length; ) written += writeSync(out, chunk, written);
        onBytes(chunk.length);
      }
      fsyncSync(out);
      if (file.bytes !== null && position < file.bytes)
        throw new PassingFailure(`the answer ends at byte ${position} of ${file.bytes}`);
    } finally {
      closeSync(out);
      // Another file than the one that is wanted: nothing of it is worth keeping.
      if (isTooLong) rmSync(part);
    }
  });
}

async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  for (;;) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) return;
    yield chunk.value;
  }
}

/** Where the body of an answer begins in the file; -1 for a partial answer that does not say. */
function rangeStart(response: Response): number {
  if (response.status !== 206) return 0;
  const match = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '');
  return match ? Number(match[1]) : -1;
}

async function matches(path: string, file: ExpectedFile): Promise<boolean> {
  if (!file.hash || statSync(path).size !== file.bytes) return false;
  let hash: Hash;
  if (file.hash.kind === 'sha256') hash = createHash('sha256');
  else hash = createHash('sha1').update(`blob ${file.bytes}\0`);
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex') === file.hash.value;
}
