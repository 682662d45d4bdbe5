import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toJsonLine } from './json.js';
import { parseSample, SAMPLE_SCHEMA, type Sample, sampleId } from './sample.js';
import { loadSamples } from './sample-file.js';

const sample: Sample = {
  schema: SAMPLE_SCHEMA,
  id: sampleId('run', 'suite', 'p1', 0),
  run: 'run',
  benchmark: 'suite',
  problemId: 'p1',
  drawIndex: 0,
  prompt: '1 + 1 :',
  response: '2',
  tokens: 2,
  answer: '2',
  gold: '2',
  verdict: 'correct',
  verdictReason: 'marker',
  logprob: { sum: -1, mean: -0.5, semantics: 'raw', temperature: 1, eosCounted: true },
  stop: 'eos',
  sampler: 'test',
  seed: 1,
  graderVersion: 'test/1',
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-sample-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('samples', () => {
  it('come back from a file as they were', async () => {
    const path = join(folder, 'a.jsonl');
    const second = { ...sample, id: 'other', logprob: null, seed: null, tokens: null };
    writeFileSync(path, `${toJsonLine(sample)}\n${toJsonLine(second)}\n`);
    expect(await loadSamples([path])).toEqual([sample, second]);
  });

  it('names the line and the key of a record that is none', async () => {
    expect(() => parseSample({ ...sample, verdict: 'right' }, 'a.jsonl:7')).toThrow('a.jsonl:7');
    expect(() => parseSample({ ...sample, verdict: 'right' }, 'a.jsonl:7')).toThrow('verdict');
    expect(() => parseSample({ ...sample, extra: 1 }, 'a.jsonl:7')).toThrow('unknown key "extra"');
    expect(() => parseSample({ ...sample, schema: 'capo.sample/9' }, 'a')).toThrow('schema');
    expect(() => parseSample(null, 'a')).toThrow('not a sample record');
  });

  it('refuses an id that occurs twice', async () => {
    const path = join(folder, 'a.jsonl');
    writeFileSync(path, `${toJsonLine(sample)}\n${toJsonLine(sample)}\n`);
    await expect(loadSamples([path])).rejects.toThrow(`${path}:2: the sample id "${sample.id}" occurs twice`);
  });
});
