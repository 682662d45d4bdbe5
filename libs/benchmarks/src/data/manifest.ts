import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean, InputError, parseConfig } from '@capo/samples';
import { parse } from 'yaml';
import { z } from 'zod';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'not a SHA-256 in lower-case hexadecimal');

/** Rules that turn what a source calls its answer into a reference answer, in this order. */
const ANSWER_RULES = [
  /** The first element of a list. */
  'first-of-list',
  /** What follows `####`. */
  'after-marker',
  /** The content of the last box of a solution. */
  'last-box',
  /** Dollar signs around it taken off. */
  'without-dollars',
  /** `27.0` and `027` are 27. */
  'plain-number',
] as const;

const sourceSchema = z.strictObject({
  /** What the source is called in commands and messages. */
  name: z.string(),
  /** Where it is fetched from: an address, or a path below the hub's. Without one it is a local mirror only. */
  url: z.string().optional(),
  /** The name of the file in a local mirror. */
  file: z.string().regex(/^[\w.-]+$/, 'a plain file name'),
  format: z.enum(['jsonl', 'json', 'parquet']),
  /** Of the file itself. Null: not known, and then the hash of the problems must be, or the user must accept it. */
  sha256: sha256.nullable(),
  bytes: z.int().positive().nullable(),
  fields: z.strictObject({
    /** The field of the id; without it, problems are numbered from 0. */
    id: z.string().optional(),
    problem: z.string(),
    answer: z.string(),
  }),
  answer: z.array(z.enum(ANSWER_RULES)).default([]),
});

const manifestSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  title: z.string(),
  use: z.enum(['evaluation', 'training']),
  licence: z.string(),
  /** Where the problems come from, and what is known of how they were chosen. */
  origin: z.string(),
  /** How many there are; null where that has not been seen. */
  problems: z.int().positive().nullable(),
  /** Ids of problems that cannot be used, such as those without an answer, and are left out. */
  leftOut: z.array(z.string()).default([]),
  /** Of the problems and answers after mapping (docs/benchmarks.md); null where no trusted copy has been seen. */
  contentSha256: sha256.nullable(),
  sources: z.array(sourceSchema).min(1),
});

/** What is known of a problem set: where it comes from and how to tell that it arrived whole. */
export type SetManifest = z.infer<typeof manifestSchema>;
export type SetSource = SetManifest['sources'][number];

/**
 * The manifests of a folder, by name.
 *
 * @throws InputError naming the file and the key of what is wrong
 */
export function readManifests(folder: string): Map<string, SetManifest> {
  if (!existsSync(folder)) throw new InputError(`There is no folder of manifests at ${folder}.`);
  const manifests = new Map<string, SetManifest>();
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith('.yaml')) continue;
    const path = join(folder, file);
    const manifest = parseConfig(manifestSchema, parse(readFileSync(path, 'utf8')), path);
    if (`${manifest.name}.yaml` !== file) throw new InputError(`${path}: the set is called ${manifest.name}.`);
    manifests.set(manifest.name, manifest);
  }
  return manifests;
}

/** The manifest of a set. @throws InputError for an unknown name, with the nearest known one */
export function manifestOf(manifests: ReadonlyMap<string, SetManifest>, name: string): SetManifest {
  const manifest = manifests.get(name);
  if (!manifest) throw new InputError(`There is no problem set "${name}".`, didYouMean(name, [...manifests.keys()]));
  return manifest;
}
