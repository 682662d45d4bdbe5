import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExternalError, InputError, InterruptedError } from '@capo/samples';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hubEndpoint, insideFolder, localModel, modelCache } from './hub-paths.js';
import { type PullOptions, pullModel } from './pull-model.js';
import { MOCK_COMMIT, MockHub } from './testing/mock-hub.js';

const weights = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, i) => (i * i) % 251));
const files = {
  'README.md': Buffer.from('not needed'),
  'config.json': Buffer.from('{"model_type":"qwen2"}'),
  'tokenizer.json': Buffer.from('{"model":{}}'),
  'model.safetensors': weights,
  'model.Q8_0.gguf': weights.subarray(0, 1000),
  'onnx/model.safetensors': Buffer.from('another format'),
};

let folder: string;
let hub: MockHub;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'capo-hub-'));
  hub = await MockHub.start(files);
});
afterEach(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true });
});

const notes: string[] = [];
function pull(options: Partial<PullOptions> = {}) {
  notes.length = 0;
  const environment = { HF_HOME: folder, HF_ENDPOINT: hub.url, ...options.environment };
  const onNote = (note: string) => notes.push(note);
  return pullModel('owner/model', { random: () => 0, maxRetries: 3, stallSeconds: 5, onNote, ...options, environment });
}
const snapshot = (name = '') => join(folder, 'hub', 'models--owner--model', 'snapshots', MOCK_COMMIT, name);
const storageRanges = () => hub.seenByStorage.map(({ range }) => range);

describe('pullModel', () => {
  it('fetches what a model needs into the shared cache', async () => {
    const progress: number[] = [];
    const pulled = await pull({ onProgress: (bytes) => progress.push(bytes) });
    expect(pulled).toEqual({
      folder: snapshot().replace(/\/$/, ''),
      commit: MOCK_COMMIT,
      files: [
        { name: 'config.json', bytes: 22, fetched: true },
        { name: 'tokenizer.json', bytes: 12, fetched: true },
        { name: 'model.safetensors', bytes: 300_000, fetched: true },
      ],
    });
    expect(readdirSync(snapshot()).sort()).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
    expect(readFileSync(snapshot('model.safetensors')).equals(weights)).toBe(true);
    expect(progress.at(-1)).toBe(300_034);
    expect([...progress].sort((a, b) => a - b)).toEqual(progress);
    expect(localModel('owner/model', 'main', { HF_HOME: folder })).toBe(pulled.folder);
    expect(localModel('owner/model', MOCK_COMMIT, { HF_HOME: folder })).toBe(pulled.folder);
  });

  it('keeps what is there and right, and replaces what is not', async () => {
    await pull();
    const requests = hub.seenByStorage.length;
    expect((await pull()).files.map(({ fetched }) => fetched)).toEqual([false, false, false]);
    expect(hub.seenByStorage.length).toBe(requests);
    writeFileSync(snapshot('config.json'), '{"model_type":"qwenX"}');
    expect((await pull()).files.map(({ fetched }) => fetched)).toEqual([true, false, false]);
    expect(readFileSync(snapshot('config.json'), 'utf8')).toBe('{"model_type":"qwen2"}');
  });

  it('goes on by range where a connection broke, as often as needed', async () => {
    hub.faults.set('model.safetensors', [
      { kind: 'break', after: 100_000 },
      { kind: 'break', after: 50_000 },
    ]);
    await pull();
    const ranges = storageRanges();
    expect(ranges).toHaveLength(3);
    expect(ranges[0]).toBeUndefined();
    // A broken connection may lose what was still on its way.
    for (const range of ranges.slice(1)) expect(range).toMatch(/^bytes=\d+-$/);
    expect(notes).toHaveLength(2);
    expect(readFileSync(snapshot('model.safetensors')).equals(weights)).toBe(true);
  });

  it('goes on in a later run, and never lets a part stand for the file', async () => {
    hub.faults.set('model.safetensors', [{ kind: 'break', after: 100_000 }]);
    await expect(pull({ maxRetries: 0 })).rejects.toThrow(ExternalError);
    expect(existsSync(snapshot('model.safetensors'))).toBe(false);
    expect(() => localModel('owner/model', 'main', { HF_HOME: folder })).toThrow(/owner\/model is not on this machine/);
    await pull();
    expect(readFileSync(snapshot('model.safetensors')).equals(weights)).toBe(true);
    expect(readdirSync(snapshot()).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it.each([
    ['ignores the range', { kind: 'ignore-range' }],
    ['answers another range', { kind: 'wrong-range' }],
    ['finds the range wrong', { kind: 'status', status: 416 }],
  ] as const)('starts again when the server %s', async (_, fault) => {
    hub.faults.set('model.safetensors', [{ kind: 'break', after: 100_000 }, fault]);
    await pull();
    expect(readFileSync(snapshot('model.safetensors')).equals(weights)).toBe(true);
  });

  it.each([
    ['a busy server', { kind: 'status', status: 429, headers: { 'retry-after': '0.3' } }],
    ['a failing server', { kind: 'status', status: 502 }],
    ['a stalled answer', { kind: 'stall' }],
  ] as const)('waits for %s', async (_, fault) => {
    hub.faults.set('config.json', [fault]);
    await pull({ stallSeconds: 0.5 });
    expect(notes).toHaveLength(1);
    expect(readFileSync(snapshot('config.json'), 'utf8')).toBe('{"model_type":"qwen2"}');
  });

  it('fetches a file with a wrong hash once more, and then refuses it by name', async () => {
    hub.faults.set('model.safetensors', [{ kind: 'corrupt' }]);
    await pull();
    expect(readFileSync(snapshot('model.safetensors')).equals(weights)).toBe(true);
    rmSync(snapshot('model.safetensors'));
    hub.faults.set('model.safetensors', [{ kind: 'corrupt' }, { kind: 'corrupt' }]);
    await expect(pull()).rejects.toThrow(/model.safetensors: what arrived has another hash/);
    expect(existsSync(snapshot('model.safetensors'))).toBe(false);
    hub.faults.set('config.json', [{ kind: 'corrupt' }, { kind: 'corrupt' }]);
    rmSync(snapshot('config.json'));
    await expect(pull()).rejects.toThrow(/config.json: what arrived has another hash/);
  });

  it('sends the token to the hub, not to its storage, and never shows it', async () => {
    const environment = { HF_TOKEN: 'hf_secret' };
    await pull({ environment });
    expect(hub.seen.every(({ authorization }) => authorization === 'Bearer hf_secret')).toBe(true);
    expect(hub.seenByStorage.every(({ authorization }) => authorization === undefined)).toBe(true);
    hub.faults.set('config.json', [{ kind: 'status', status: 403 }]);
    rmSync(snapshot('config.json'));
    const failure = await pull({ environment }).catch((error) => error);
    expect(failure).toBeInstanceOf(ExternalError);
    expect(JSON.stringify([failure.message, failure.remedy, notes])).not.toContain('hf_secret');
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) expect(name).not.toContain('secret');
  });

  it('takes the weights that the index names, and no others', async () => {
    const index = { weight_map: { a: 'model-00001-of-00002.safetensors', b: 'model-00002-of-00002.safetensors' } };
    hub.files.set('model.safetensors.index.json', Buffer.from(JSON.stringify(index)));
    hub.files.set('model-00001-of-00002.safetensors', Buffer.from('one'));
    await expect(pull()).rejects.toThrow(
      /names the file "model-00002-of-00002.safetensors", which the hub does not have/,
    );
    hub.files.set('model-00002-of-00002.safetensors', Buffer.from('two'));
    const { files: pulled } = await pull();
    expect(pulled.map(({ name }) => name)).toEqual([
      'config.json',
      'tokenizer.json',
      'model.safetensors.index.json',
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
    ]);
  });

  it("takes a GGUF file when told, into a folder of one's own", async () => {
    const target = join(folder, 'mine');
    const { files: pulled } = await pull({ include: ['*.Q8_0.gguf'], folder: target });
    expect(pulled.map(({ name }) => name)).toEqual(['config.json', 'tokenizer.json', 'model.Q8_0.gguf']);
    expect(readdirSync(target).sort()).toEqual(['config.json', 'model.Q8_0.gguf', 'tokenizer.json']);
    expect(existsSync(join(folder, 'hub'))).toBe(false);
    await expect(pull({ include: ['*.Q2_K.gguf'] })).rejects.toThrow(/no file like \*\.Q2_K\.gguf/);
  });

  it('stays inside of the folder, whatever the listing says', async () => {
    for (const name of [
      '../evil.safetensors',
      '/evil.safetensors',
      'a/../../evil.safetensors',
      'a\\evil.safetensors',
    ]) {
      hub.editListing = (listing) => ({ ...listing, siblings: [{ ...listing.siblings[3], rfilename: name }] });
      await expect(pull({ include: ['*', '*/*', '*/*/*', '*/*/*/*'] }), name).rejects.toThrow(/is not accepted/);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says what is missing: the model, the hub, the weights, the access', async () => {
    await expect(pullModel('owner/other', { random: () => 0, environment: { HF_ENDPOINT: hub.url } })).rejects.toThrow(
      /no such model/,
    );
    await expect(pull({ revision: 'v2' })).rejects.toThrow(InputError);
    const gone = await MockHub.start({});
    const environment = { HF_ENDPOINT: gone.url };
    await gone.stop();
    await expect(pull({ maxRetries: 0, environment })).rejects.toThrow(/127.0.0.1.*ECONNREFUSED.*\(1 attempt\)/);
    hub.editListing = () => ({ hello: 'world' });
    await expect(pull()).rejects.toThrow(/the hub's listing of owner\/model/);
    hub.editListing = (listing) => ({ ...listing, siblings: listing.siblings.slice(0, 3) });
    await expect(pull()).rejects.toThrow(/owner\/model has no safetensors files/);
  });

  it('stops when it is interrupted', async () => {
    const controller = new AbortController();
    hub.faults.set('model.safetensors', [{ kind: 'stall' }]);
    setTimeout(() => controller.abort(), 200);
    await expect(pull({ signal: controller.signal, stallSeconds: 60 })).rejects.toThrow(InterruptedError);
  });
});

describe('paths', () => {
  it('knows the cache of the environment', () => {
    expect(modelCache('a/b', { HF_HOME: '/h' })).toBe('/h/hub/models--a--b');
    expect(modelCache('a/b', { HF_HOME: '/h', HF_HUB_CACHE: '/c' })).toBe('/c/models--a--b');
    expect(hubEndpoint({})).toBe('https://huggingface.co');
    expect(hubEndpoint({ HF_ENDPOINT: 'http://mirror:80/hub/' })).toBe('http://mirror:80/hub');
    expect(() => hubEndpoint({ HF_ENDPOINT: 'mirror' })).toThrow(/HF_ENDPOINT/);
  });

  it('refuses names that are none', () => {
    for (const id of ['', '../x', 'a/b/c', 'a/..', '/etc/passwd', 'a b/c', 'a/b?x', '.hidden/x']) {
      expect(() => modelCache(id, {}), id).toThrow(InputError);
    }
    expect(insideFolder('/f', 'a/b.json')).toBe('/f/a/b.json');
    for (const name of ['', '.', '..', '../x', '/x', 'a//b', 'a/./b', 'C:x', 'a\0b']) {
      expect(() => insideFolder('/f', name), name).toThrow(InputError);
    }
  });

  it('takes a folder as it is, and says what to do when there is none', () => {
    const own = join(folder, 'own');
    mkdirSync(own);
    expect(localModel(own, 'main', {})).toBe(own);
    expect(() => localModel(join(folder, 'none'), 'main', {})).toThrow(/There is no model at/);
    expect(() => localModel('a/b', '../x', { HF_HOME: folder })).toThrow(/not a revision/);
  });
});
