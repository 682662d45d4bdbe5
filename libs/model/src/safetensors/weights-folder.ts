import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileError, InputError, toJsonDocument, writeFileAtomic } from '@capo/samples';
import { readSafetensors, type Safetensors, type TensorEntry, type TensorSource } from './reader.js';
import { tensorBytes, writeSafetensors } from './writer.js';

const INDEX_SUFFIX = '.safetensors.index.json';

/**
 * Opens the weights of a model: a safetensors file, an index file, or a folder with either. In a folder the index
 * decides when there is one, and other files are ignored; without an index there must be exactly one safetensors file,
 * or one named `model.safetensors`.
 *
 * @throws InputError when a file of the index is missing, a tensor of the index is not in its file or a file holds a
 * tensor that the index does not name: a part of a model is never loaded as if it were the whole
 */
export function openWeights(path: string): Safetensors {
  const file = isFolder(path) ? weightsFile(path) : path;
  return file.endsWith(INDEX_SUFFIX) ? readSharded(file) : readSafetensors(file);
}

/**
 * Writes a model's weights into a folder in the layout of the hub: one `model.safetensors` when they fit into
 * `maxShardBytes`, else numbered shards and, last, their index.
 */
export function writeWeights(
  folder: string,
  tensors: ReadonlyMap<string, TensorSource>,
  options: { maxShardBytes?: number; metadata?: Record<string, string> } = {},
): void {
  const metadata = options.metadata ?? { format: 'pt' };
  const shards = splitIntoShards(tensors, options.maxShardBytes ?? Number.POSITIVE_INFINITY);
  if (shards.length === 1) {
    writeSafetensors(join(folder, 'model.safetensors'), tensors, metadata);
    return;
  }
  const number = (i: number) => String(i).padStart(5, '0');
  const weightMap: [string, string][] = [];
  for (const [i, shard] of shards.entries()) {
    const name = `model-${number(i + 1)}-of-${number(shards.length)}.safetensors`;
    writeSafetensors(join(folder, name), shard, metadata);
    for (const tensor of shard.keys()) weightMap.push([tensor, name]);
  }
  weightMap.sort(([a], [b]) => (a < b ? -1 : 1));
  const total = [...tensors.values()].reduce((sum, tensor) => sum + tensorBytes(tensor), 0);
  const index = { metadata: { total_size: total }, weight_map: Object.fromEntries(weightMap) };
  writeFileAtomic(join(folder, `model${INDEX_SUFFIX}`), toJsonDocument(index));
}

function splitIntoShards(tensors: ReadonlyMap<string, TensorSource>, maxBytes: number): Map<string, TensorSource>[] {
  const shards = [new Map<string, TensorSource>()];
  let bytes = 0;
  for (const [name, tensor] of [...tensors].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const size = tensorBytes(tensor);
    if (bytes > 0 && bytes + size > maxBytes) {
      shards.push(new Map());
      bytes = 0;
    }
    shards[shards.length - 1].set(name, tensor);
    bytes += size;
  }
  return shards;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw fileError(error, 'read', path);
  }
}

function weightsFile(folder: string): string {
  const names = readdirSync(folder);
  const indices = names.filter((name) => name.endsWith(INDEX_SUFFIX));
  if (indices.length === 1) return join(folder, indices[0]);
  if (indices.length > 1) {
    throw new InputError(`${folder} holds several indices: ${indices.join(', ')}.`, 'Give the one that you mean.');
  }
  const files = names.filter((name) => name.endsWith('.safetensors'));
  if (files.includes('model.safetensors')) return join(folder, 'model.safetensors');
  if (files.length === 1) return join(folder, files[0]);
  if (files.length === 0) {
    throw new InputError(
      `${folder} holds no safetensors file.`,
      'Give the folder of a model in the layout of the Hugging Face hub; "capo model pull" makes one.',
    );
  }
  throw new InputError(
    `${folder} holds ${files.length} safetensors files and no index that says how they belong together.`,
    `Fetch the model's *${INDEX_SUFFIX} too, or give the one file that you mean.`,
  );
}

function readSharded(indexPath: string): Safetensors {
  const weightMap = readWeightMap(indexPath);
  const folder = dirname(indexPath);
  const shards = new Map<string, Safetensors>();
  const tensors = new Map<string, TensorEntry>();
  for (const [name, shardName] of weightMap) {
    let shard = shards.get(shardName);
    if (!shard) {
      shard = readShard(folder, shardName, indexPath);
      shards.set(shardName, shard);
    }
    const tensor = shard.tensors.get(name);
    if (!tensor)
      throw new InputError(`${join(folder, shardName)} lacks tensor "${name}", which ${indexPath} puts there.`);
    tensors.set(name, tensor);
  }
  const listed = new Map(weightMap);
  for (const [shardName, shard] of shards) {
    for (const name of shard.tensors.keys()) {
      if (listed.get(name) === shardName) continue;
      throw new InputError(
        `${join(folder, shardName)} holds tensor "${name}", which ${indexPath} does not put there.`,
        'Index and files are of different versions; fetch the model again.',
      );
    }
  }
  const metadata = Object.assign({}, ...[...shards.values()].map((shard) => shard.metadata));
  return { metadata, tensors };
}

function readShard(folder: string, name: string, indexPath: string): Safetensors {
  const path = join(folder, name);
  try {
    statSync(path);
  } catch {
    throw new InputError(`${path} is missing; ${indexPath} names it.`, 'Fetch the missing file.');
  }
  return readSafetensors(path);
}

function readWeightMap(indexPath: string): [string, string][] {
  let weightMap: unknown;
  try {
    weightMap = JSON.parse(readFileSync(indexPath, 'utf8'))?.weight_map;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw fileError(error, 'read', indexPath);
    throw new InputError(`${indexPath}: not valid JSON: ${error.message}`, 'Fetch the file again.');
  }
  const entries = typeof weightMap === 'object' && weightMap !== null ? Object.entries(weightMap) : [];
  if (entries.length === 0) throw new InputError(`${indexPath}: it has no "weight_map".`, 'Fetch the file again.');
  for (const [name, file] of entries) {
    if (typeof file !== 'string' || basename(file) !== file || file.includes('\\')) {
      throw new InputError(`${indexPath}: tensor "${name}" is said to be in ${JSON.stringify(file)}, no file name.`);
    }
  }
  return entries as [string, string][];
}
