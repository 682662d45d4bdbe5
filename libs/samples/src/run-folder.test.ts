import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFileAtomic } from './atomic-write.js';
import { ExternalError, fileError, InputError } from './errors.js';
import { configHash, toJsonLine } from './json.js';
import { RunFolder } from './run-folder.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'capo-run-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('RunFolder', () => {
  it('is found again by its configuration, whatever the order of the keys', () => {
    const first = RunFolder.open(root, 'train', { a: 1, b: { c: 2, d: 3 } }, 5, 'wasm');
    expect(first.finished).toBe(false);
    first.finish({ note: 1 });
    const again = RunFolder.open(root, 'train', { b: { d: 3, c: 2 }, a: 1 }, 5, 'wasm');
    expect(again.path).toBe(first.path);
    expect(again.finished).toBe(true);
    expect(again.manifest.notes).toEqual({ note: 1 });
  });

  it('differs by kind, seed and every value', () => {
    const paths = [
      RunFolder.open(root, 'train', { a: 1 }, 5, null),
      RunFolder.open(root, 'base', { a: 1 }, 5, null),
      RunFolder.open(root, 'train', { a: 1 }, 6, null),
      RunFolder.open(root, 'train', { a: '1' }, 5, null),
    ].map(({ path }) => path);
    expect(new Set(paths).size).toBe(4);
  });

  it('makes a folder anew whose manifest is damaged', () => {
    const first = RunFolder.open(root, 'train', { a: 1 }, 5, null);
    writeFileSync(first.file('metrics.jsonl'), 'old');
    writeFileSync(first.file('manifest.json'), '{"schema": "capo.man');
    const again = RunFolder.open(root, 'train', { a: 1 }, 5, null);
    expect(again.finished).toBe(false);
    expect(existsSync(again.file('metrics.jsonl'))).toBe(false);
  });
});

describe('writeFileAtomic', () => {
  it('makes the folder, replaces the file and leaves nothing else', () => {
    const path = join(root, 'deep', 'er', 'file.txt');
    writeFileAtomic(path, 'one');
    writeFileAtomic(path, 'two');
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(readdirSync(join(root, 'deep', 'er'))).toEqual(['file.txt']);
  });

  it('leaves the old file and no part of the new one when writing fails', () => {
    const path = join(root, 'target');
    mkdirSync(path);
    expect(() => writeFileAtomic(path, 'x')).toThrow(InputError);
    expect(readdirSync(root)).toEqual(['target']);
  });

  it('says which part of a path is a file', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => writeFileAtomic(join(root, 'file', 'x'), 'x')).toThrow(join('file', 'x'));
  });

  it.skipIf(!existsSync('/dev/full'))('says that the disk is full and what to do', () => {
    // Writing to /dev/full fails as a full disk does.
    let error: unknown;
    try {
      writeFileSync('/dev/full', 'x');
    } catch (caught) {
      error = fileError(caught, 'write', 'out.json');
    }
    expect(error).toBeInstanceOf(ExternalError);
    expect((error as ExternalError).message).toContain('out.json');
    expect((error as ExternalError).remedy).toContain('Free some disk space');
  });
});

describe('RunFolder with a name', () => {
  it('goes on with the same configuration, and refuses another with the differences', () => {
    const path = join(root, 'mine');
    RunFolder.openNamed(path, 'train', { steps: 240, method: { tau: 0.2 } }, 1, null);
    expect(RunFolder.openNamed(path, 'train', { method: { tau: 0.2 }, steps: 240 }, 1, null).path).toBe(path);
    const changed = () => RunFolder.openNamed(path, 'train', { steps: 240, method: { tau: 0.5 } }, 2, null);
    expect(changed).toThrow('config.method.tau: 0.5, was 0.2');
    expect(changed).toThrow('seed: 2, was 1');
  });

  it('never takes over a folder that is no run', () => {
    writeFileSync(join(root, 'notes.txt'), 'mine');
    expect(() => RunFolder.openNamed(root, 'train', {}, 1, null)).toThrow('no run folder');
    expect(readdirSync(root)).toEqual(['notes.txt']);
  });
});

describe('configHash', () => {
  it('ignores the order of keys and undefined members, and nothing else', () => {
    expect(configHash({ a: 1, b: undefined, c: [1, 2] })).toBe(configHash({ c: [1, 2], a: 1 }));
    expect(configHash({ c: [2, 1], a: 1 })).not.toBe(configHash({ c: [1, 2], a: 1 }));
    expect(configHash({ a: null })).not.toBe(configHash({}));
  });
});

describe('toJsonLine', () => {
  it('refuses numbers that JSON cannot hold', () => {
    expect(() => toJsonLine({ x: [1, Number.POSITIVE_INFINITY] })).toThrow(InputError);
    expect(toJsonLine({ x: null })).toBe('{"x":null}');
  });
});
