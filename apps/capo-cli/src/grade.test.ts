import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCapo } from './testing/run-capo.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-grade-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('capo grade', () => {
  it('judges one answer and explains the verdict', async () => {
    const { stdout, code } = await runCapo(['grade', 'So it is \\boxed{\\frac12}.', '0.5', '--explain']);
    expect(code).toBe(0);
    expect(stdout).toContain('correct (box, exact numbers)');
    expect(stdout).toMatch(/extraction rule +box/);
    expect(stdout).toMatch(/answer, read as +1\*2\^\(-1\)/);
  });

  it('prints one JSON document with --json', async () => {
    const { stdout } = await runCapo(['grade', '(1, 2)', '(2, 1)', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'wrong', answer: '(1, 2)', graderVersion: 'math/1' });
  });

  it('audits labelled pairs and fails below the least agreement', async () => {
    const path = join(folder, 'pairs.jsonl');
    const pairs = [
      { gold: '0.5', pred: '1/2', equal: true, kinds: ['fraction'] },
      { gold: '4', pred: '5', equal: true, kinds: ['number'] },
    ];
    writeFileSync(path, pairs.map((pair) => `${JSON.stringify(pair)}\n`).join(''));
    const passed = await runCapo(['grade', '--audit', path]);
    expect(passed.code).toBe(0);
    expect(passed.stdout).toContain('verdicts agree on 1 of 2 (50.00 %)');
    const failed = await runCapo(['grade', '--audit', path, '--min-agreement', '0.97']);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('less than 0.97');
  });

  it('says what is missing', async () => {
    const { code, stderr } = await runCapo(['grade', '5']);
    expect(code).toBe(2);
    expect(stderr).toContain('a reference are needed');
  });
});
