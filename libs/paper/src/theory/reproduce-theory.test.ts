import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toyProtocolSchema } from '../pipeline/protocol.js';
import { reproduceTheory } from './reproduce-theory.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'capo-theory-'));
});
afterAll(() => rmSync(root, { recursive: true }));

/** Trained just enough to be right now and then, so that there are groups with a pair. */
const protocol = toyProtocolSchema.parse({
  base: {
    task: { trainingPool: 24, validation: 8, suite: 2 },
    model: { hidden_size: 32, intermediate_size: 64, num_attention_heads: 2, num_key_value_heads: 2 },
    steps: 400,
    batchSize: 32,
    evaluationDraws: 2,
  },
  train: { steps: 2, promptsPerStep: 4, groupSize: 8, minibatchPrompts: 2, evaluationDraws: 2 },
});

describe('reproduceTheory', () => {
  it('checks every claim, writes every form, and comes to the same bytes again', async () => {
    const run = (out: string) =>
      reproduceTheory({
        protocol,
        seed: 1,
        runs: join(root, 'runs'),
        out: join(root, out),
        workers: 1,
        distributions: 100,
        prompts: 24,
      });
    const { claims, tables, files } = await run('a');
    expect(claims.map(({ id }) => id)).toEqual('1a 1b 1c 2a 2b 2c 3a 3b 4a 4b 4c 5a 5b 5c'.split(' '));
    expect(claims.filter(({ holds }) => holds === false)).toEqual([]);
    expect(tables[0].rows).toHaveLength(claims.length);
    expect(files.map((path) => path.split('.').at(-1))).toEqual(['md', 'tex', 'csv', 'json', 'svg', 'pdf', 'png']);
    expect(files.every((path) => existsSync(path))).toBe(true);
    await run('b');
    for (const path of files) {
      expect(readFileSync(path.replace(join(root, 'a'), join(root, 'b'))).equals(readFileSync(path)), path).toBe(true);
    }
  }, 120_000);
});
