import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProblems } from './problem-file.js';

const shared = fileURLToPath(new URL('../../../../shared/data/benchmarks', import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-problems-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(...lines: unknown[]): string {
  const path = join(folder, 'mine.jsonl');
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

describe('readProblems', () => {
  it('names the benchmark after the file and shortens ids by it', async () => {
    const path = fileOf(
      { id: 'mine/1', problem: '1+1?', answer: 2, source: 'x' },
      { id: 7, problem: '?', answer: 'a' },
    );
    expect(await readProblems(path)).toEqual([
      { id: '1', benchmark: 'mine', prompt: '1+1?', gold: '2' },
      { id: '7', benchmark: 'mine', prompt: '?', gold: 'a' },
    ]);
  });

  it('names the line of what is no problem', async () => {
    await expect(readProblems(fileOf({ id: 'a', problem: 'x' }))).rejects.toThrow(/mine.jsonl:1: not a problem/);
    const twice = fileOf({ id: 'a', problem: 'x', answer: 1 }, { id: 'mine/a', problem: 'x', answer: 1 });
    await expect(readProblems(twice)).rejects.toThrow(/mine.jsonl:2: the id "a" occurs twice/);
    await expect(readProblems(fileOf())).rejects.toThrow(/holds no problems/);
    await expect(readProblems(join(folder, 'none.jsonl'))).rejects.toThrow(/Cannot read .*none.jsonl/);
  });

  it.skipIf(!existsSync(shared))('reads the benchmarks (skipped where the shared data are absent)', async () => {
    const sizes = { aime24: 30, aime25: 30, amc23: 40, gsm8k: 1319, math500: 500, minerva: 272, olympiadbench: 675 };
    for (const [name, size] of Object.entries(sizes)) {
      const problems = await readProblems(join(shared, `${name}.jsonl`));
      expect(problems).toHaveLength(size);
      expect(problems[0].benchmark).toBe(name);
      expect(problems[0].id.startsWith(name)).toBe(false);
    }
  });
});
