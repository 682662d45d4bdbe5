import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder, loadSet, manifestOf, type Problem, readManifests, readProblems } from '@capo/benchmarks';
import type { LocalOptions, LocalPolicy } from '@capo/model';
import { InputError } from '@capo/samples';
import { manifestsFolder } from './shipped-files.js';

/** Which problems are asked. */
export interface ProblemChoice {
  /** The name of a benchmark, or a file of problems. */
  benchmark: string;
  /** A folder of the benchmarks' files; by default the one that "capo data fetch" keeps them in. */
  folder: string | undefined;
  limit: number | undefined;
  ids: string | undefined;
}

/** The problems of a benchmark: all, the first ones, or those of the given ids. */
export async function chooseProblems({ benchmark, folder, limit, ids }: ProblemChoice): Promise<Problem[]> {
  let problems = await allProblems(benchmark, folder);
  if (ids !== undefined) {
    const wanted = ids.split(',').map((id) => id.trim());
    const known = new Map(problems.map((problem) => [problem.id, problem]));
    const missing = wanted.filter((id) => !known.has(id));
    if (missing.length > 0) throw new InputError(`--ids: ${benchmark} has no problem "${missing[0]}".`);
    problems = wanted.map((id) => known.get(id) as Problem);
  }
  return limit === undefined ? problems : problems.slice(0, limit);
}

async function allProblems(benchmark: string, folder: string | undefined): Promise<Problem[]> {
  const isFile = benchmark.endsWith('.jsonl');
  if (!isFile && folder === undefined) {
    manifestOf(readManifests(manifestsFolder()), benchmark);
    return loadSet(dataFolder(), benchmark);
  }
  const path = isFile ? benchmark : join(folder as string, `${benchmark}.jsonl`);
  if (existsSync(path)) return readProblems(path);
  throw new InputError(
    `There is no benchmark at ${path}.`,
    'Give a file of problems (JSONL with id, problem and answer), or the name of a set: capo data list.',
  );
}

/** Where responses come from, and what of it shapes them. */
export type Source =
  | { kind: 'endpoint'; identity: { url: string; model: string } }
  | { kind: 'local'; folder: string; identity: { weights: string } };

/** A model behind a server. */
export async function endpointSource(endpoint: string, model: string): Promise<Source> {
  const { endpointAddress } = await import('@capo/model');
  return { kind: 'endpoint', identity: { url: endpointAddress(endpoint).href, model } };
}

/** A model folder, or a model that was pulled. */
export async function localSource(model: string, revision: string): Promise<Source> {
  const { localModel, modelFingerprint } = await import('@capo/model');
  const folder = localModel(model, revision, process.env);
  return { kind: 'local', folder, identity: { weights: await modelFingerprint(folder) } };
}

/** Starts the default backend and loads a model folder. */
export async function openLocal(folder: string, label: string, options: LocalOptions): Promise<LocalPolicy> {
  const model = await import('@capo/model');
  await model.useBackend();
  return model.LocalPolicy.load(folder, label, options);
}
