import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from './atomic-write.js';
import { configDifferences } from './config-diff.js';
import { InputError } from './errors.js';
import { lockFolder } from './folder-lock.js';
import { configHash, toJsonDocument } from './json.js';

/** What made a run: enough to make it again and to know whether a finished one can stand for a wanted one. */
export interface Manifest {
  schema: 'capo.manifest/1';
  /** What kind of work this folder holds, for instance `base-model` or `train`. */
  kind: string;
  /** The resolved configuration, defaults filled in. */
  config: unknown;
  configHash: string;
  seed: number;
  versions: Record<string, string>;
  /** The commit of the working tree, or null outside a git checkout. */
  gitCommit: string | null;
  backend: string | null;
  /** What was deterministic, in words. */
  determinism: string;
  createdAt: string;
  /** Set when the work is finished; a folder without it is continued, not trusted. */
  finishedAt: string | null;
  /** Seconds of work over all sittings, and other facts worth keeping. */
  notes: Record<string, unknown>;
}

/**
 * One finished or half-done piece of work on disk: `manifest.json`, its JSONL files and checkpoints. It is found again
 * by the hash of its configuration, so that nothing is done twice.
 */
export class RunFolder {
  private constructor(
    readonly path: string,
    readonly manifest: Manifest,
  ) {}

  /**
   * Opens the folder of that piece of work below `root`, or makes it. The folder's name carries the configuration's
   * hash. An unreadable manifest, as a full disk may leave, means that nothing in the folder can be trusted: it is
   * made anew.
   */
  static open(root: string, kind: string, config: unknown, seed: number, backend: string | null): RunFolder {
    const hash = configHash({ kind, config, seed });
    const path = RunFolder.pathOf(root, kind, config, seed);
    const manifestPath = join(path, 'manifest.json');
    if (existsSync(manifestPath)) {
      const manifest = readManifest(manifestPath);
      if (manifest && manifest.configHash === hash) return new RunFolder(path, manifest);
      rmSync(path, { recursive: true, force: true });
    }
    return RunFolder.create(path, { kind, config, configHash: hash, seed, backend });
  }

  /**
   * Opens the folder of a run that has a name of its own, or makes it.
   *
   * @throws InputError when the folder holds a run of another configuration, with the differences, or something else
   */
  static openNamed(path: string, kind: string, config: unknown, seed: number, backend: string | null): RunFolder {
    const hash = configHash({ kind, config, seed });
    const manifestPath = join(path, 'manifest.json');
    if (existsSync(path) && readdirSync(path).length > 0) {
      const manifest = readManifest(manifestPath);
      if (!manifest) throw new InputError(`${path} is no run folder.`, 'Choose another name, or an empty folder.');
      if (manifest.configHash === hash) return new RunFolder(path, manifest);
      const was = { kind: manifest.kind, seed: manifest.seed, config: manifest.config };
      const differences = configDifferences(was, { kind, seed, config });
      throw new InputError(
        `${path} holds a run of another configuration:\n  ${differences.slice(0, 12).join('\n  ')}`,
        'Choose another name for the new run, or give the old configuration to go on with it.',
      );
    }
    return RunFolder.create(path, { kind, config, configHash: hash, seed, backend });
  }

  private static create(
    path: string,
    facts: Pick<Manifest, 'kind' | 'config' | 'configHash' | 'seed' | 'backend'>,
  ): RunFolder {
    const manifest: Manifest = {
      schema: 'capo.manifest/1',
      ...facts,
      versions: { node: process.version },
      gitCommit: gitCommit(),
      determinism: 'same seed, same configuration, same platform: same bytes',
      createdAt: new Date().toISOString(),
      finishedAt: null,
      notes: {},
    };
    writeFileAtomic(join(path, 'manifest.json'), toJsonDocument(manifest));
    return new RunFolder(path, manifest);
  }

  /** Where the folder of that piece of work is, whether it exists or not. */
  static pathOf(root: string, kind: string, config: unknown, seed: number): string {
    return join(root, `${kind}-${configHash({ kind, config, seed })}`);
  }

  get finished(): boolean {
    return this.manifest.finishedAt !== null;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /**
   * Opens the folder and does work in it that no other process does at the same time. What another process finished
   * before is seen.
   *
   * @throws ExternalError naming the process that works in it
   */
  static async locked<T>(open: () => RunFolder, work: (folder: RunFolder) => Promise<T>): Promise<T> {
    const release = lockFolder(open().path);
    try {
      return await work(open());
    } finally {
      release();
    }
  }

  /** Keeps facts about work that goes on. */
  note(notes: Record<string, unknown>): void {
    Object.assign(this.manifest.notes, notes);
    writeFileAtomic(this.file('manifest.json'), toJsonDocument(this.manifest));
  }

  /** Marks the work as finished. Called last, after every file of the folder is on the disk. */
  finish(notes: Record<string, unknown> = {}): void {
    Object.assign(this.manifest.notes, notes);
    this.manifest.finishedAt = new Date().toISOString();
    writeFileAtomic(this.file('manifest.json'), toJsonDocument(this.manifest));
  }
}

function readManifest(path: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    return manifest?.schema === 'capo.manifest/1' ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** The manifest of a finished run folder. */
export function loadManifest(folder: string): Manifest {
  const manifest = readManifest(join(folder, 'manifest.json'));
  if (!manifest) throw new InputError(`${folder}: no readable manifest.json`, 'Give a folder that a run wrote.');
  return manifest;
}

function gitCommit(): string | null {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}
