import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JsonlWriter, readJsonl, repairTail } from './jsonl.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-jsonl-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function values(path: string, onWarning?: (message: string) => void): Promise<unknown[]> {
  const result: unknown[] = [];
  for await (const { value } of readJsonl(path, onWarning ? { onWarning } : {})) result.push(value);
  return result;
}

describe('readJsonl', () => {
  it('accepts a byte order mark, CRLF, blank lines and a last line without a line break', async () => {
    const path = join(folder, 'a.jsonl');
    writeFileSync(path, '\uFEFF{"a":1}\r\n\r\n{"a":2}\n{"a":3}');
    expect(await values(path)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  });

  it('leaves out a cut-off last line with a warning', async () => {
    const path = join(folder, 'a.jsonl');
    writeFileSync(path, '{"a":1}\n{"a":');
    const warnings: string[] = [];
    expect(await values(path, (message) => warnings.push(message))).toEqual([{ a: 1 }]);
    expect(warnings).toEqual([`${path}:2: the last line is cut off and was left out.`]);
  });

  it('names the line of a bad one in the middle', async () => {
    const path = join(folder, 'a.jsonl');
    writeFileSync(path, '{"a":1}\n{"a":\n{"a":3}\n');
    await expect(values(path)).rejects.toThrow(`${path}:2: not valid JSON`);
  });

  it('reads lines longer than its blocks and characters cut in two by them', async () => {
    const path = join(folder, 'a.jsonl');
    const text = 'é'.repeat(100_001);
    writeFileSync(path, `${JSON.stringify(text)}\n${JSON.stringify(text)}\n`);
    expect(await values(path)).toEqual([text, text]);
  });

  it('names a missing file and what to do', async () => {
    await expect(values(join(folder, 'none.jsonl'))).rejects.toThrow('none.jsonl');
  });

  it('refuses a line without end', async () => {
    const path = join(folder, 'a.jsonl');
    writeFileSync(path, 'x'.repeat(200_000));
    const read = async () => {
      for await (const _ of readJsonl(path, { maxLineLength: 1000 }));
    };
    await expect(read()).rejects.toThrow('longer than 1000');
  });
});

describe('JsonlWriter', () => {
  it('goes on after a killed writer', async () => {
    const path = join(folder, 'sub', 'a.jsonl');
    const first = new JsonlWriter(path);
    first.append({ a: 1 }, { a: 2 });
    first.close();
    appendFileSync(path, '{"a":3');
    const second = new JsonlWriter(path);
    second.append({ a: 4 });
    second.close();
    expect(await values(path)).toEqual([{ a: 1 }, { a: 2 }, { a: 4 }]);
  });

  it('refuses NaN by the name of its key and leaves the file as it was', () => {
    const path = join(folder, 'a.jsonl');
    const writer = new JsonlWriter(path);
    expect(() => writer.append({ loss: Number.NaN })).toThrow('"loss" is NaN');
    writer.close();
    expect(readFileSync(path, 'utf8')).toBe('');
  });
});

describe('repairTail', () => {
  it('cuts an unterminated line, also the only one, and leaves the rest alone', () => {
    const path = join(folder, 'a.jsonl');
    expect(repairTail(path)).toBe(false);
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, '{"a":1}\n');
    expect(repairTail(path)).toBe(false);
    writeFileSync(path, `{"a":1}\n${'x'.repeat(200_000)}`);
    expect(repairTail(path)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n');
    writeFileSync(path, 'half');
    expect(repairTail(path)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('');
  });
});
