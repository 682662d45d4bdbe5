import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataFolder } from './data-folder.js';
import { readManifests, type SetManifest, type SetSource } from './manifest.js';
import { fetchSet, loadSet, provenanceOf, verifySet } from './problem-set.js';

let root: string;
let folder: string;
let mirror: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'capo-data-'));
  folder = join(root, 'cache');
  mirror = join(root, 'mirror');
  mkdirSync(mirror);
});
afterEach(() => rmSync(root, { recursive: true }));

const ROWS = [
  { n: 7, question: 'What is $1+1$?', solution: 'It is #### 2' },
  { n: 8, question: 'What is half of 1?', solution: 'That is\n#### 1/2' },
];

function source(more: Partial<SetSource> = {}): SetSource {
  return {
    name: 'origin',
    url: 'https://example.org/tiny.jsonl',
    file: 'tiny.jsonl',
    format: 'jsonl',
    sha256: null,
    bytes: null,
    fields: { id: 'n', problem: 'question', answer: 'solution' },
    answer: ['after-marker'],
    ...more,
  };
}

function manifest(sources: SetSource[], more: Partial<SetManifest> = {}): SetManifest {
  return {
    name: 'tiny',
    title: 'Tiny',
    use: 'evaluation',
    licence: 'MIT',
    origin: 'here',
    problems: 2,
    leftOut: [],
    contentSha256: null,
    sources,
    ...more,
  };
}

const jsonl = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const hash = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
const never = () => Promise.reject(new Error('not to be fetched'));
/** docs/benchmarks.md: one line of [problem, answer] for each. */
const CONTENT = hash('["What is $1+1$?","2"]\n["What is half of 1?","1/2"]\n');

function fromMirror(set: SetManifest, more: object = {}) {
  return fetchSet({ manifest: set, folder, from: mirror, download: never, ...more });
}

describe('fetchSet', () => {
  it('maps, checks and keeps a set from a mirror, with its provenance', async () => {
    const text = jsonl(ROWS);
    writeFileSync(join(mirror, 'tiny.jsonl'), text);
    const found = await fromMirror(manifest([source({ sha256: hash(text), bytes: text.length })]));
    expect(found).toMatchObject({ verified: 'file', problems: 2, contentSha256: CONTENT, fileSha256: hash(text) });
    expect(await loadSet(folder, 'tiny')).toEqual([
      { id: '7', benchmark: 'tiny', prompt: 'What is $1+1$?', gold: '2' },
      { id: '8', benchmark: 'tiny', prompt: 'What is half of 1?', gold: '1/2' },
    ]);
    expect(provenanceOf(folder, 'tiny')).toEqual(found);
    expect(readdirSync(join(folder, '.incoming'))).toEqual([]);
  });

  it('has the same hash of the problems from JSONL, JSON and Parquet', async () => {
    writeFileSync(join(mirror, 'tiny.json'), JSON.stringify(ROWS));
    const columnData = [
      { name: 'n', data: ROWS.map(({ n }) => BigInt(n)), type: 'INT64' as const },
      { name: 'question', data: ROWS.map(({ question }) => question), type: 'STRING' as const },
      { name: 'solution', data: ROWS.map(({ solution }) => solution), type: 'STRING' as const },
    ];
    writeFileSync(join(mirror, 'tiny.parquet'), Buffer.from(parquetWriteBuffer({ columnData })));
    for (const format of ['json', 'parquet'] as const) {
      const set = manifest([source({ format, file: `tiny.${format}` })], { contentSha256: CONTENT });
      expect(await fromMirror(set)).toMatchObject({ verified: 'content', problems: 2 });
    }
  });

  it('fetches from the first source that can be checked', async () => {
    const text = jsonl(ROWS);
    const set = manifest([
      source({ name: 'unknown' }),
      source({ name: 'known', sha256: hash(text), bytes: text.length }),
    ]);
    const asked: string[] = [];
    const download = async (_url: string, { name }: SetSource, path: string) => {
      asked.push(name);
      writeFileSync(path, text);
    };
    await fetchSet({ manifest: set, folder, download });
    expect(asked).toEqual(['known']);
  });

  it('refuses what nothing is known of, keeps the hash of what is accepted, and refuses another one', async () => {
    writeFileSync(join(mirror, 'tiny.jsonl'), jsonl(ROWS));
    const set = manifest([source()]);
    await expect(fetchSet({ manifest: set, folder, download: never })).rejects.toThrow('No hash of tiny is known');
    await expect(fromMirror(set)).rejects.toThrow('No hash of tiny is known');
    expect(await fromMirror(set, { acceptUnverified: true })).toMatchObject({ verified: 'accepted' });
    writeFileSync(join(mirror, 'tiny.jsonl'), jsonl([{ ...ROWS[0], solution: '#### 3' }, ROWS[1]]));
    await expect(fromMirror(set, { acceptUnverified: true })).rejects.toThrow('when they were accepted');
  });

  it('refuses a file and problems with other hashes, and keeps nothing', async () => {
    writeFileSync(join(mirror, 'tiny.jsonl'), jsonl([{ ...ROWS[0], solution: '#### 3' }, ROWS[1]]));
    await expect(fromMirror(manifest([source()], { contentSha256: CONTENT }))).rejects.toThrow(
      'not the one of the manifest',
    );
    await expect(fromMirror(manifest([source({ sha256: 'a'.repeat(64) })]))).rejects.toThrow(
      'not the one of the manifest',
    );
    expect(existsSync(join(folder, 'tiny.jsonl'))).toBe(false);
  });

  it.each<[string, string, string]>([
    ['an HTML page', '<!doctype html><p>Sign in</p>\n{}\n', 'tiny.jsonl:1'],
    [
      'a row without an answer',
      jsonl([ROWS[0], { n: 8, question: 'x', solution: 'no marker' }]),
      'tiny/8: the reference answer is missing',
    ],
    ['a row without a problem', jsonl([ROWS[0], { n: 8, solution: '#### 1' }]), 'tiny/8: the problem has no text'],
    ['an id twice', jsonl([ROWS[0], { ...ROWS[1], n: 7 }]), 'tiny/7: the id occurs twice'],
    ['a row too few', jsonl([ROWS[0]]), '1 problems, where tiny has 2'],
    ['a list', '[1]\n[2]\n', 'not an object'],
  ])('names what is wrong with %s', async (_name, text, message) => {
    writeFileSync(join(mirror, 'tiny.jsonl'), text);
    await expect(fromMirror(manifest([source()]), { acceptUnverified: true })).rejects.toThrow(message);
  });

  it('leaves out the problems that the manifest names', async () => {
    writeFileSync(join(mirror, 'tiny.jsonl'), jsonl([...ROWS, { n: 9, question: 'unsolved', solution: '' }]));
    const set = manifest([source()], { leftOut: ['9'], contentSha256: CONTENT });
    expect(await fromMirror(set)).toMatchObject({ problems: 2 });
  });

  it('mends lost backslashes and a dollar sign that nothing opens, and says so by id', async () => {
    const rows = [
      { n: 0, question: 'Find \x0crac{1}{2} of $x$.', solution: '#### 1' },
      { n: 1, question: 'Find $i$.$', solution: '#### $2$' },
    ];
    writeFileSync(join(mirror, 'tiny.jsonl'), jsonl(rows));
    const set = manifest([source({ answer: ['after-marker', 'without-dollars'] })]);
    const { findings } = await fromMirror(set, { acceptUnverified: true });
    expect(findings.map(({ id, severity }) => [id, severity])).toEqual([
      ['0', 'mended'],
      ['1', 'mended'],
    ]);
    expect(await loadSet(folder, 'tiny')).toMatchObject([
      { prompt: 'Find \\frac{1}{2} of $x$.' },
      { prompt: 'Find $i$.', gold: '2' },
    ]);
  });

  it('says where it looked, and which sources there are', async () => {
    await expect(fromMirror(manifest([source()]))).rejects.toThrow('does not hold tiny');
    const options = { manifest: manifest([source()]), folder, download: never };
    await expect(fetchSet({ ...options, source: 'hub' })).rejects.toThrow('no source "hub"');
  });
});

describe('verifySet', () => {
  it('notices a set that was changed on this machine', async () => {
    writeFileSync(join(mirror, 'tiny.jsonl'), jsonl(ROWS));
    const set = manifest([source()], { contentSha256: CONTENT });
    await expect(verifySet(folder, set)).rejects.toThrow('is not on this machine');
    await fromMirror(set);
    expect(await verifySet(folder, set)).toEqual({ problems: 2, contentSha256: CONTENT });
    const path = join(folder, 'tiny.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"2"', '"3"'));
    await expect(verifySet(folder, set)).rejects.toThrow('not those that were fetched');
    await expect(loadSet(folder, 'tiny')).rejects.toThrow('not those that were fetched');
  });
});

describe('dataFolder', () => {
  it('follows the convention of the platform', () => {
    expect(dataFolder({ CAPO_CACHE: '/c' }, 'linux')).toBe(join('/c', 'benchmarks'));
    expect(dataFolder({ XDG_CACHE_HOME: '/x' }, 'linux')).toBe(join('/x', 'capo', 'benchmarks'));
    expect(dataFolder({}, 'linux')).toMatch(/\.cache\/capo\/benchmarks$/);
    expect(dataFolder({}, 'darwin')).toMatch(/Library\/Caches\/capo\/benchmarks$/);
  });
});

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const SHARED = join(REPOSITORY, '..', 'shared', 'data');

describe('the manifests of the repository', () => {
  it('are valid, and name the sets of the paper', () => {
    const manifests = readManifests(join(REPOSITORY, 'data', 'benchmarks'));
    const names = ['aime24', 'aime25', 'amc23', 'math500', 'minerva', 'olympiadbench', 'gsm8k', 'deepscaler'];
    expect([...manifests.keys()]).toEqual(expect.arrayContaining(names));
  });

  it('refuses unknown keys with a suggestion, and a name that is not the file’s', () => {
    copyFileSync(join(REPOSITORY, 'data', 'benchmarks', 'gsm8k.yaml'), join(mirror, 'gsm.yaml'));
    expect(() => readManifests(mirror)).toThrow('the set is called gsm8k');
    writeFileSync(join(mirror, 'gsm.yaml'), 'name: gsm\nlicense: MIT\n');
    expect(() => readManifests(mirror)).toThrow('Did you mean "licence"');
  });

  it.skipIf(!existsSync(SHARED))('fit the mirrored files (skipped without ../shared)', async () => {
    const manifests = [...readManifests(join(REPOSITORY, 'data', 'benchmarks')).values()];
    for (const set of manifests.filter(({ name }) => name !== 'deepscaler')) {
      const from = join(SHARED, set.use === 'training' ? 'train' : 'benchmarks');
      const found = await fetchSet({ manifest: set, folder, from, download: never });
      expect(found).toMatchObject({ verified: 'file', contentSha256: set.contentSha256 });
    }
    expect(provenanceOf(folder, 'aime25')?.findings.map(({ id }) => id)).toEqual(['4', '7', '18', '19', '27']);
  });
});
