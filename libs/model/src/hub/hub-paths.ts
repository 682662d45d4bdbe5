import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { InputError } from '@capo/samples';

/** The environment variables that are honoured, with the names of Hugging Face's own tools. */
export interface HubEnvironment {
  [name: string]: string | undefined;
  HF_HOME?: string | undefined;
  HF_HUB_CACHE?: string | undefined;
  HF_ENDPOINT?: string | undefined;
  HF_TOKEN?: string | undefined;
}

/** The hub's address without a slash at the end. */
export function hubEndpoint(environment: HubEnvironment): string {
  const given = environment.HF_ENDPOINT || 'https://huggingface.co';
  if (!/^https?:\/\/[^\s@]+$/.test(given)) {
    throw new InputError(`HF_ENDPOINT is "${given}", which is no http address.`, 'Unset it to use the public hub.');
  }
  return given.replace(/\/+$/, '');
}

/**
 * The folder of a model in the cache that Hugging Face's tools share:
 * `$HF_HOME/hub/models--<owner>--<name>`, by default below `~/.cache/huggingface`.
 */
export function modelCache(id: string, environment: HubEnvironment): string {
  checkModelId(id);
  const home = environment.HF_HOME || join(homedir(), '.cache', 'huggingface');
  return join(environment.HF_HUB_CACHE || join(home, 'hub'), `models--${id.replaceAll('/', '--')}`);
}

/** @throws InputError for what is no `owner/name` (or the bare name of an old model) */
export function checkModelId(id: string): void {
  const parts = id.split('/');
  const isName = (part: string) => /^[A-Za-z0-9][\w.-]*$/.test(part) && !part.includes('..');
  if (parts.length > 2 || !parts.every(isName)) {
    throw new InputError(
      `"${id}" is not the name of a model.`,
      'Give it as on the hub, for instance Qwen/Qwen2.5-0.5B.',
    );
  }
}

/** @throws InputError for what cannot be a branch, a tag or a commit */
export function checkRevision(revision: string): void {
  if (!/^[\w][\w./-]*$/.test(revision) || revision.includes('..')) {
    throw new InputError(`"${revision}" is not a revision.`, 'Give a branch, a tag or a commit.');
  }
}

/**
 * The path of a file of the hub inside of a folder.
 *
 * @throws InputError for a name that would lead out of the folder: a listing is not to be trusted with that
 */
export function insideFolder(folder: string, name: string): string {
  const path = resolve(folder, name);
  const plain = name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  if (!plain || /[\\\0:]/.test(name) || !path.startsWith(resolve(folder) + sep)) {
    throw new InputError(`The listing of the model names the file ${JSON.stringify(name)}, which is not accepted.`);
  }
  return path;
}

/**
 * The folder of a model that is on this machine: a path to a folder or file, or the name of a model that was pulled.
 *
 * @throws InputError when there is neither, saying how to get it
 */
export function localModel(pathOrId: string, revision: string, environment: HubEnvironment): string {
  if (existsSync(pathOrId)) return pathOrId;
  const looksLikeId = /^[\w.-]+\/[\w.-]+$/.test(pathOrId);
  if (!looksLikeId) throw new InputError(`There is no model at ${pathOrId}.`, 'Check the path for a spelling mistake.');
  checkRevision(revision);
  const cache = modelCache(pathOrId, environment);
  const reference = join(cache, 'refs', revision);
  const isFile = existsSync(reference) && statSync(reference).isFile();
  const commit = isFile ? readFileSync(reference, 'utf8').trim() : revision;
  const snapshot = join(cache, 'snapshots', commit);
  if (existsSync(snapshot)) return snapshot;
  throw new InputError(
    `There is no folder ${pathOrId}, and the model ${pathOrId} is not on this machine.`,
    `Fetch it: capo model pull ${pathOrId}`,
  );
}
