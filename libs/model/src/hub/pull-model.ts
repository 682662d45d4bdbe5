import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError, parseConfig, writeFileAtomic } from '@capo/samples';
import { z } from 'zod';
import { downloadFile, type HubFile } from './download-file.js';
import { HubClient, type HubClientOptions } from './hub-client.js';
import {
  checkModelId,
  checkRevision,
  type HubEnvironment,
  hubEndpoint,
  insideFolder,
  modelCache,
} from './hub-paths.js';

export interface PullOptions extends Pick<HubClientOptions, 'random' | 'onNote' | 'signal'> {
  /** A branch, a tag or a commit. Default `main`. */
  revision?: string | undefined;
  /** Where the files go; by default the cache that Hugging Face's tools share. */
  folder?: string | undefined;
  /** Names of the weights to fetch instead of the safetensors, such as `*.Q8_0.gguf`; `*` stands for any letters but a slash. */
  include?: readonly string[] | undefined;
  environment: HubEnvironment;
  maxRetries?: number | undefined;
  stallSeconds?: number | undefined;
  /** Called as bytes arrive, with those that were there already counted. */
  onProgress?: ((bytes: number, total: number, file: string) => void) | undefined;
}

export interface PulledModel {
  folder: string;
  commit: string;
  files: { name: string; bytes: number; fetched: boolean }[];
}

/** What a model folder needs besides its weights. */
const SMALL_FILES = [
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'chat_template.jinja',
];

const INDEX = 'model.safetensors.index.json';

const listingSchema = z.looseObject({
  sha: z.string().regex(/^[0-9a-f]{7,64}$/),
  siblings: z.array(
    z.looseObject({
      rfilename: z.string(),
      size: z.int().nonnegative().nullish(),
      blobId: z.string().nullish(),
      lfs: z.looseObject({ sha256: z.string(), size: z.int().nonnegative() }).nullish(),
    }),
  ),
});

/**
 * Fetches a model from the hub: configuration, tokenizer, and the safetensors of its index. Files that are there are
 * checked and kept, broken downloads are continued by range, and every file is compared in size and hash with the
 * hub's listing before it takes its place. Running it again after a failure goes on where it stopped.
 *
 * @throws InputError for a model that the hub does not have; ExternalError when it cannot be fetched
 */
export async function pullModel(id: string, options: PullOptions): Promise<PulledModel> {
  const revision = options.revision ?? 'main';
  checkModelId(id);
  checkRevision(revision);
  const { environment, random, onNote, signal } = options;
  const client = new HubClient({
    endpoint: hubEndpoint(environment),
    token: environment.HF_TOKEN,
    maxRetries: options.maxRetries ?? 5,
    stallSeconds: options.stallSeconds ?? 60,
    random,
    onNote,
    signal,
  });
  const { commit, files } = await listModel(client, id, revision);
  const cache = modelCache(id, environment);
  const folder = options.folder ?? join(cache, 'snapshots', commit);
  const fetch = (file: HubFile, onBytes: (bytes: number) => void) => {
    const url = `${id}/resolve/${commit}/${file.name.split('/').map(encodeURIComponent).join('/')}`;
    return downloadFile(client, url, file, insideFolder(folder, file.name), onBytes);
  };
  const index = files.get(INDEX);
  if (index) await fetch(index, () => {});
  const wanted = selectFiles(files, index ? readWeightFiles(join(folder, INDEX)) : null, options.include ?? [], id);
  const total = wanted.reduce((sum, { bytes }) => sum + bytes, 0);
  let settled = 0;
  const pulled: PulledModel['files'] = [];
  for (const file of wanted) {
    let arrived = 0;
    const fetched = await fetch(file, (bytes) => {
      arrived += bytes;
      options.onProgress?.(settled + Math.min(arrived, file.bytes), total, file.name);
    });
    settled += file.bytes;
    options.onProgress?.(settled, total, file.name);
    pulled.push({ name: file.name, bytes: file.bytes, fetched });
  }
  // Last, so that the name leads to a complete folder only.
  if (!options.folder) writeFileAtomic(join(cache, 'refs', revision), commit);
  return { folder, commit, files: pulled };
}

async function listModel(client: HubClient, id: string, revision: string) {
  const path = `api/models/${id}/revision/${encodeURIComponent(revision)}?blobs=true`;
  const text = await client.request(
    path,
    () => ({}),
    (response) => response.text(),
  );
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new InputError(`${path}: what answers there is not the hub.`, 'Check HF_ENDPOINT.');
  }
  const listing = parseConfig(listingSchema, json, `the hub's listing of ${id}`);
  const files = new Map<string, HubFile>();
  for (const { rfilename: name, size, blobId, lfs } of listing.siblings) {
    if (lfs) files.set(name, { name, bytes: lfs.size, hash: { kind: 'sha256', value: lfs.sha256 } });
    else if (size != null && blobId) files.set(name, { name, bytes: size, hash: { kind: 'git', value: blobId } });
  }
  return { commit: listing.sha, files };
}

/** The index decides which weights belong to the model; without one all safetensors beside the configuration do. */
function selectFiles(
  files: ReadonlyMap<string, HubFile>,
  indexed: readonly string[] | null,
  include: readonly string[],
  id: string,
): HubFile[] {
  const names = new Set(SMALL_FILES.filter((name) => files.has(name)));
  const single = [...files.keys()].filter((name) => name.endsWith('.safetensors') && !name.includes('/'));
  const extra = [...files.keys()].filter((name) => include.some((pattern) => globMatches(pattern, name)));
  if (include.length > 0 && extra.length === 0) {
    throw new InputError(`${id} has no file like ${include.join(' or ')}.`, `It has: ${[...files.keys()].join(', ')}.`);
  }
  // Who asks for other files by name does not want the weights as well.
  const weights = include.length > 0 ? extra : (indexed ?? single);
  if (weights.length === 0) {
    throw new InputError(
      `${id} has no safetensors files.`,
      `Choose another version of the model, or a GGUF file of it with --include. It has: ${[...files.keys()].join(', ')}.`,
    );
  }
  if (indexed && include.length === 0) names.add(INDEX);
  for (const name of weights) {
    if (!files.has(name))
      throw new InputError(`${id}: ${INDEX} names the file "${name}", which the hub does not have.`);
    names.add(name);
  }
  return [...names].map((name) => files.get(name) as HubFile);
}

function readWeightFiles(path: string): string[] {
  const { weight_map: map } = JSON.parse(readFileSync(path, 'utf8'));
  return [...new Set(Object.values(map ?? {}) as string[])].sort();
}

function globMatches(pattern: string, name: string): boolean {
  const literal = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll('*', '[^/]*').replaceAll('?', '[^/]')}$`).test(name);
}
