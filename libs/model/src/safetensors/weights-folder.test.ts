import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWeights, writeWeights } from './weights-folder.js';
import { tensorOf, writeSafetensors } from './writer.js';

const tensors = new Map(
  ['a', 'b', 'c'].map((name, i) => [name, tensorOf(Float32Array.of(i, i + 0.5, i, i), [2, 2])] as const),
);
let folder: string;
const path = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-weights-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function editIndex(edit: (map: Record<string, string>) => void): void {
  const index = JSON.parse(readFileSync(path('model.safetensors.index.json'), 'utf8'));
  edit(index.weight_map);
  writeFileSync(path('model.safetensors.index.json'), JSON.stringify(index));
}

describe('writeWeights and openWeights', () => {
  it('writes one file when the weights fit', () => {
    writeWeights(folder, tensors);
    expect(readdirSync(folder)).toEqual(['model.safetensors']);
    expect([...openWeights(folder).tensors.keys()]).toEqual(['a', 'b', 'c']);
  });

  it('writes shards of at most the wanted size and an index', () => {
    writeWeights(folder, tensors, { maxShardBytes: 40 });
    expect(readdirSync(folder).sort()).toEqual([
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
      'model.safetensors.index.json',
    ]);
    const index = JSON.parse(readFileSync(path('model.safetensors.index.json'), 'utf8'));
    expect(index.metadata.total_size).toBe(48);
    for (const opened of [openWeights(folder), openWeights(path('model.safetensors.index.json'))]) {
      expect([...opened.tensors.keys()].sort()).toEqual(['a', 'b', 'c']);
      expect(opened.tensors.get('c')!.read()).toEqual(Float32Array.of(2, 2.5, 2, 2));
    }
  });

  it('lets the index decide and ignores stray files', () => {
    writeWeights(folder, tensors, { maxShardBytes: 16 });
    writeSafetensors(path('stray.safetensors'), new Map([['stray', tensorOf(Float32Array.of(1), [1])]]));
    writeSafetensors(path('model.safetensors'), new Map([['old', tensorOf(Float32Array.of(1), [1])]]));
    expect([...openWeights(folder).tensors.keys()].sort()).toEqual(['a', 'b', 'c']);
  });

  it('takes a single file of another name, and refuses several without an index', () => {
    writeSafetensors(path('weights.safetensors'), tensors);
    expect(openWeights(folder).tensors.size).toBe(3);
    cpSync(path('weights.safetensors'), path('more.safetensors'));
    expect(() => openWeights(folder)).toThrow(/2 safetensors files and no index/);
  });

  it('names a missing shard, a truncated shard, and the files it looked for', () => {
    writeWeights(folder, tensors, { maxShardBytes: 16 });
    truncateSync(path('model-00002-of-00003.safetensors'), 110);
    expect(() => openWeights(folder)).toThrow(/model-00002-of-00003.safetensors: .*cut off/);
    rmSync(path('model-00002-of-00003.safetensors'));
    expect(() => openWeights(folder)).toThrow(/model-00002-of-00003.safetensors is missing/);
    mkdirSync(path('empty'));
    expect(() => openWeights(path('empty'))).toThrow(/holds no safetensors file/);
    expect(() => openWeights(path('nowhere'))).toThrow(/Cannot read .*nowhere/);
  });

  it('refuses an index that disagrees with its files', () => {
    writeWeights(folder, tensors, { maxShardBytes: 16 });
    editIndex((map) => {
      map.d = map.a;
    });
    expect(() => openWeights(folder)).toThrow(/model-00001-of-00003.safetensors lacks tensor "d"/);
    editIndex((map) => {
      delete map.d;
      map.b = map.a;
    });
    expect(() => openWeights(folder)).toThrow(/lacks tensor "b"/);
    rmSync(path('model-00001-of-00003.safetensors'));
    const both = new Map([...tensors].filter(([name]) => name !== 'c'));
    writeSafetensors(path('model-00001-of-00003.safetensors'), both);
    editIndex((map) => {
      delete map.b;
    });
    expect(() => openWeights(folder)).toThrow(/holds tensor "b", which .* does not put there/);
  });

  it('does not follow an index out of the folder', () => {
    writeWeights(folder, tensors, { maxShardBytes: 16 });
    for (const bad of ['../x.safetensors', '/etc/x.safetensors', 'a\\b.safetensors']) {
      editIndex((map) => {
        map.a = bad;
      });
      expect(() => openWeights(folder)).toThrow(/tensor "a" is said to be in/);
    }
    writeFileSync(path('model.safetensors.index.json'), '{"weight_map":{}}');
    expect(() => openWeights(folder)).toThrow(/no "weight_map"/);
    writeFileSync(path('model.safetensors.index.json'), '{');
    expect(() => openWeights(folder)).toThrow(/index.json: not valid JSON/);
  });
});
