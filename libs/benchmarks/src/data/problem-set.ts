import { createHash } from 'node:crypto';
import { copyFileSync, createReadStream, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ExternalError, InputError, toJsonDocument, toJsonLine, writeFileAtomic } from '@capo/samples';
import type { Problem } from '../problem.js';
import { readProblems } from '../problem-file.js';
import { checkProblems, type Finding } from './check-problems.js';
import { contentHash } from './content-hash.js';
import type { SetManifest, SetSource } from './manifest.js';
import { mapRow } from './map-rows.js';
import { readRows } from './read-rows.js';

/** How a set was found to be the right one. */
export type Verification =
  /** The file has the manifest's hash. */
  | 'file'
  /** The problems have the manifest's hash. */
  | 'content'
  /** Nothing was known of it, and the user took it as it came; its hash is kept, and a different one refused. */
  | 'accepted';

/** What is kept beside a fetched set. */
export interface Provenance {
  set: string;
  source: string;
  from: string;
  fileSha256: string;
  contentSha256: string;
  problems: number;
  verified: Verification;
  findings: Finding[];
}

export interface FetchSetOptions {
  manifest: SetManifest;
  /** Where sets are kept. */
  folder: string;
  /** A local mirror: a folder that holds the file of one of the sources. */
  from?: string | undefined;
  /** Only this source. */
  source?: string | undefined;
  /** Take a source of which no hash is known as it comes. */
  acceptUnverified?: boolean | undefined;
  /** Brings a file of the web to a path. */
  download(url: string, source: SetSource, path: string): Promise<unknown>;
}

/**
 * Brings a problem set to this machine: from a local mirror, or from the first source that can be fetched and checked.
 * It is read, mapped, checked problem by problem, compared with the manifest's hashes, and only then kept, as one JSONL
 * of `{ id, problem, answer }` with its provenance beside it.
 *
 * @throws InputError for a mirror or source that is not there, and for unreadable or incomplete problems, by id;
 * ExternalError when a hash differs
 */
export async function fetchSet(options: FetchSetOptions): Promise<Provenance> {
  const { manifest, folder, from, download } = options;
  const staging = join(folder, '.incoming');
  mkdirSync(staging, { recursive: true });
  const { source, path: mirrored } =
    from === undefined ? { source: sourceToFetch(options), path: null } : inMirror(manifest, from);
  const path = join(staging, `${manifest.name}-${source.file}`);
  if (mirrored !== null) copyFileSync(mirrored, path);
  else await download(source.url as string, source, path);
  try {
    const fileSha256 = await hashOf(path);
    const { problems, findings } = await readSource(path, manifest, source);
    const content = contentHash(problems);
    const verified = verify(options, source, fileSha256, content);
    const provenance: Provenance = {
      set: manifest.name,
      source: source.name,
      from: mirrored ?? (source.url as string),
      fileSha256,
      contentSha256: content,
      problems: problems.length,
      verified,
      findings,
    };
    const lines = problems.map(({ id, prompt, gold }) => `${toJsonLine({ id, problem: prompt, answer: gold })}\n`);
    writeFileAtomic(setPath(folder, manifest.name), lines.join(''));
    writeFileAtomic(provenancePath(folder, manifest.name), toJsonDocument(provenance));
    return provenance;
  } finally {
    // A broken download keeps its part, which has another name; this file was read or is wrong.
    rmSync(path, { force: true });
  }
}

/** The problems of a source's file, mapped and checked. @throws InputError listing what is wrong, by id */
export async function readSource(
  path: string,
  manifest: SetManifest,
  source: SetSource,
): Promise<{ problems: Problem[]; findings: Finding[] }> {
  const rows = await readRows(path, source.format);
  const mapped = rows.map((row, i) => mapRow(row, i, source, manifest.name));
  const checked = checkProblems(mapped.filter(({ id }) => !manifest.leftOut.includes(id)));
  const errors = checked.findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    const shown = errors.slice(0, 5).map(({ id, message }) => `${manifest.name}/${id}: ${message}`);
    throw new InputError(
      `${path}: ${errors.length} problems cannot be used:\n  ${shown.join('\n  ')}`,
      'The file is not what the manifest describes; compare the fields that it names.',
    );
  }
  const { length } = checked.problems;
  if (length === 0) throw new InputError(`${path}: it holds no problems.`);
  if (manifest.problems !== null && length !== manifest.problems) {
    throw new InputError(`${path}: ${length} problems, where ${manifest.name} has ${manifest.problems}.`);
  }
  return checked;
}

/** A set that is on this machine. @throws InputError saying how to get it; ExternalError when it was changed since */
export async function loadSet(folder: string, name: string): Promise<Problem[]> {
  const path = setPath(folder, name);
  if (!existsSync(path)) {
    throw new InputError(
      `The problem set ${name} is not on this machine (${path}).`,
      `Fetch it: capo data fetch ${name}. Without network: capo data fetch ${name} --from FOLDER, a folder with its file.`,
    );
  }
  const problems = await readProblems(path);
  const kept = provenanceOf(folder, name)?.contentSha256;
  if (kept !== undefined && contentHash(problems) !== kept) {
    throw new ExternalError(
      `${path}: the problems are not those that were fetched.`,
      `Fetch it again: capo data fetch ${name}`,
    );
  }
  return problems;
}

/** What is known of a set on this machine; null when it is not there, or its record is not readable. */
export function provenanceOf(folder: string, name: string): Provenance | null {
  if (!existsSync(setPath(folder, name))) return null;
  try {
    return JSON.parse(readFileSync(provenancePath(folder, name), 'utf8')) as Provenance;
  } catch {
    return null;
  }
}

/**
 * Compares a set on this machine with its manifest, or with what it was when it was accepted.
 *
 * @throws InputError when it is not there; ExternalError when it differs
 */
export async function verifySet(
  folder: string,
  manifest: SetManifest,
): Promise<{ problems: number; contentSha256: string }> {
  const problems = await loadSet(folder, manifest.name);
  const content = contentHash(problems);
  const expected = manifest.contentSha256 ?? provenanceOf(folder, manifest.name)?.contentSha256;
  if (content !== expected) {
    throw new ExternalError(
      `${setPath(folder, manifest.name)}: the problems are not those that were fetched (${content}, not ${expected}).`,
      `Fetch it again: capo data fetch ${manifest.name}`,
    );
  }
  return { problems: problems.length, contentSha256: content };
}

/** Where a set is kept. */
export function setPath(folder: string, name: string): string {
  return join(folder, `${name}.jsonl`);
}

function provenancePath(folder: string, name: string): string {
  return join(folder, `${name}.provenance.json`);
}

function sourceToFetch({ manifest, source: wanted, acceptUnverified }: FetchSetOptions): SetSource {
  const fetchable = manifest.sources.filter(
    ({ url, name }) => url !== undefined && (wanted === undefined || name === wanted),
  );
  if (fetchable.length === 0) {
    const names = manifest.sources.filter(({ url }) => url !== undefined).map(({ name }) => name);
    throw new InputError(
      wanted === undefined
        ? `${manifest.name} cannot be fetched.`
        : `${manifest.name} has no source "${wanted}" to fetch from.`,
      names.length > 0 ? `Sources: ${names.join(', ')}.` : 'Give a folder that holds its file with --from.',
    );
  }
  const known = fetchable.find(({ sha256 }) => sha256 !== null || manifest.contentSha256 !== null);
  if (known) return known;
  if (acceptUnverified) return fetchable[0];
  throw new InputError(
    `No hash of ${manifest.name} is known, so that what arrives could not be checked.`,
    '--accept-unverified takes it as it comes, keeps its hash, and refuses a different one later.',
  );
}

function inMirror(manifest: SetManifest, from: string): { source: SetSource; path: string } {
  const found = manifest.sources
    .map((source) => ({ source, path: join(from, source.file) }))
    .find(({ path }) => existsSync(path));
  if (found) return found;
  const names = [...new Set(manifest.sources.map(({ file }) => file))];
  throw new InputError(`${from} does not hold ${manifest.name}.`, `Looked for ${names.join(', ')} there.`);
}

function verify(
  { manifest, folder, acceptUnverified }: FetchSetOptions,
  source: SetSource,
  file: string,
  content: string,
): Verification {
  if (source.sha256 !== null && source.sha256 === file) return 'file';
  if (manifest.contentSha256 !== null && manifest.contentSha256 === content) return 'content';
  if (source.sha256 !== null || manifest.contentSha256 !== null) {
    throw new ExternalError(
      `${manifest.name} from ${source.name}: its hash is not the one of the manifest (file ${file}, problems ${content}).`,
      'The origin has changed, or something on the way has. Try another source with --source, or a mirror with --from.',
    );
  }
  const before = provenanceOf(folder, manifest.name);
  if (before && before.contentSha256 !== content) {
    throw new ExternalError(
      `${manifest.name}: its problems have the hash ${content}, and had ${before.contentSha256} when they were accepted.`,
      `Remove ${setPath(folder, manifest.name)} to accept the new ones.`,
    );
  }
  if (!acceptUnverified) {
    throw new InputError(
      `No hash of ${manifest.name} is known, so that this copy cannot be checked.`,
      '--accept-unverified takes it as it comes, keeps its hash, and refuses a different one later.',
    );
  }
  return 'accepted';
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
