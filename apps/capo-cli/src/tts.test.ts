import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCapo } from './testing/run-capo.js';

const ROLLOUTS = fileURLToPath(
  new URL('../../../../shared/data/rollouts/qwen25_math_cot_100x8.jsonl', import.meta.url),
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-tts-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(!existsSync(ROLLOUTS))('real responses (skipped without ../shared)', () => {
  const map =
    'problemId=problemId,drawIndex=drawIndex,prompt=problem,response=response,gold=gold,answer=originExtracted,verdict=originCorrect,confidence=rewardModelScore';
  const path = () => join(folder, 'samples.jsonl');

  it('become samples, and say what they lack', async () => {
    const { code, stdout } = await runCapo(['import', ROLLOUTS, '--map', map, '--out', path()]);
    expect(code).toBe(0);
    expect(stdout).toContain('800 samples of 100 problems, judged by the origin: correct 728, wrong 72');
    expect(stdout).toContain('lacks log-probabilities of responses');
  });

  it('are measured and voted over; what they cannot serve is refused by name', async () => {
    const metrics = await runCapo(['metrics', path(), '--signal', 'confidence', '--resamples', '50', '--json']);
    const rows = JSON.parse(metrics.stdout).rows as { metric: string; value: number | null }[];
    expect(rows.find(({ metric }) => metric === 'accuracy (mean@k)')?.value).toBeCloseTo(728 / 800, 12);
    expect(rows.find(({ metric }) => metric === 'AUC')?.value).toBeGreaterThan(0.5);

    const { stdout } = await runCapo(['tts', path(), '--n', '1,8', '--resamples', '50', '--abstain', '--out', folder]);
    expect(stdout).toMatch(/single +0\.910/);
    // Counted from the file's own verdicts and extracted texts alone: 91 problems are won, 3 are ties of two, 6 are lost.
    expect(stdout).toMatch(/majority +0\.910 .* 0\.925/);
    expect(stdout).toContain('rpc is refused: the samples lack logprob.sum');
    expect(stdout).toContain('Precision when only the most agreed answers are given');
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(['scaling-draws.svg', 'scaling-draws.pdf', 'scaling-draws.png']),
    );
    expect(readFileSync(join(folder, 'scaling-draws.svg'), 'utf8')).toContain('capo tts');
  });
});

it('names what is wrong with the flags', async () => {
  const { code, stderr } = await runCapo(['tts', 'nothing.jsonl', '--n', '0']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/nothing\.jsonl|--n is 0/);
});
