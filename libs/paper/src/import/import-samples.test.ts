import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mathGrader } from '@capo/benchmarks';
import type { Sample } from '@capo/samples';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportOptions, importSamples } from './import-samples.js';

let folder: string;
const grader = mathGrader();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-import-'));
});
afterAll(async () => {
  await grader.close();
  rmSync(folder, { recursive: true });
});

async function run(records: readonly object[], map: ImportOptions['map']) {
  const path = join(folder, 'records.jsonl');
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const samples: Sample[] = [];
  const options = { map, run: 'r', benchmark: 'b', semantics: 'raw', temperature: 1, grader } as const;
  const summary = await importSamples(path, options, (batch) => samples.push(...batch));
  return { samples, summary };
}

describe('importSamples', () => {
  it('maps fields, also nested ones, counts draws, and takes the verdicts of the origin', async () => {
    const records = [
      { q: 1, out: { text: 'so 5', pred: '5' }, ok: true, score: 0.5, lp: [-0.1, -0.2] },
      { q: 1, out: { text: 'no idea', pred: '' }, ok: false, score: 0.1, lp: [-1] },
    ];
    const { samples, summary } = await run(records, {
      problemId: 'q',
      response: 'out.text',
      answer: 'out.pred',
      verdict: 'ok',
      confidence: 'score',
      tokenLogprobs: 'lp',
    });
    expect(samples.map(({ id, verdict, answer, tokens }) => [id, verdict, answer, tokens])).toEqual([
      ['r/b/1#0', 'correct', '5', 2],
      ['r/b/1#1', 'no-answer', null, 1],
    ]);
    expect(samples[0].logprob).toMatchObject({ semantics: 'raw', perToken: [-0.1, -0.2] });
    expect(samples[0].logprob?.sum).toBeCloseTo(-0.3, 12);
    expect(summary).toMatchObject({ samples: 2, problems: 1, judgedBy: 'origin', lacking: [] });
  });

  it('judges what has no verdict, and says what the file lacks', async () => {
    const { samples, summary } = await run([{ id: 'x', r: '\\boxed{\\frac12}', g: '0.5' }], {
      problemId: 'id',
      response: 'r',
      gold: 'g',
    });
    expect(samples[0]).toMatchObject({
      verdict: 'correct',
      answer: '\\frac12',
      graderVersion: 'math/1',
      logprob: null,
      tokens: null,
    });
    expect(summary.lacking).toEqual([
      'log-probabilities of responses',
      'log-probabilities of tokens',
      'a confidence',
      'numbers of tokens',
    ]);
  });

  it.each<[ImportOptions['map'], string]>([
    [{ response: 'r', gold: 'g' }, 'problemId is not mapped'],
    [{ problemId: 'id', gold: 'g' }, 'Neither response nor answer'],
    [{ problemId: 'id', response: 'r' }, 'Neither verdict nor gold'],
    [{ problemId: 'id', response: 'R', gold: 'g' }, 'records.jsonl:1: there is no field "R"'],
    [{ problemId: 'id', response: 'r', gold: 'g', confidence: 'r' }, '"r" is no number'],
    [{ problemId: 'id', response: 'r', verdict: 'r' }, 'the verdict is "5"'],
    [{ problemId: 'id', response: 'r', gold: 'g', confidense: 'r' } as never, 'no part "confidense"'],
  ])('names what is wrong with %j', async (map, message) => {
    await expect(run([{ id: 'x', r: '5', g: '5' }], map)).rejects.toThrow(message);
  });
});
