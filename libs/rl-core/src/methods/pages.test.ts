import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aggregationOf } from '../objectives/aggregation.js';
import { batchAdvantages, maskOf } from './batch-advantages.js';
import { METHOD_NAMES, methodSchema } from './method-schema.js';
import { resolveMethod } from './resolve-method.js';

const page = (name: string) => new URL(`../../../../docs/methods/${name}.md`, import.meta.url);
const text = (name: string) => readFileSync(page(name), 'utf8');

/** The rows of the first table of a text, as records by column. */
function firstTable(markdown: string): Record<string, string>[] {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|'));
  const rows: string[][] = [];
  for (let i = start; lines[i]?.startsWith('|'); i++) {
    rows.push(
      lines[i]
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  }
  const [header, , ...body] = rows;
  return body.map((cells) => Object.fromEntries(header.map((key, i) => [key, cells[i]])));
}

/** Example tables were computed by an independent implementation in Python; see the pages for the arithmetic by hand. */
const MOST_TOKENS = 8;

describe.each(METHOD_NAMES)('docs/methods/%s.md', (name) => {
  it('has the headings of the template, in order', () => {
    const headings = text(name).match(/^## .*$/gm);
    expect(headings).toEqual([
      '## Formula',
      '## Example',
      '## Options',
      '## Deviations and choices',
      '## Logged metrics',
      '## Against GRPO',
    ]);
  });

  it('has an example that the code computes', () => {
    const example = text(name).split('## Example')[1].split('\n## ')[0];
    const options = JSON.parse(example.match(/Options: `(.*)`/)?.[1] ?? '') as object;
    const method = resolveMethod(methodSchema.parse(options), { clipRatio: 0.2, maxTokens: MOST_TOKENS });
    expect(method.method.name).toBe(name);
    const rows = firstTable(example);
    expect(rows).toHaveLength(12);
    const column = (key: string) => Float64Array.from(rows, (row) => Number(row[key]));
    const rewards = column('R');
    const lengths = [...column('tokens')];
    const mask = maskOf(method.method);
    const { advantages, excluded } = batchAdvantages(
      method,
      {
        groupSize: 4,
        rewards,
        lpm: column('lpm'),
        referencePerplexity: mask === 'none' ? null : column('PPL_ref'),
        ends: { lengths, truncated: lengths.map((length) => Number(length === MOST_TOKENS)), maxTokens: MOST_TOKENS },
      },
      typeof mask === 'object' && 'low' in mask ? mask : null,
    );
    // Dynamic sampling drops a group without signal before the loss.
    const hasSignal = (i: number) => new Set(rewards.subarray(i - (i % 4), i - (i % 4) + 4)).size > 1;
    const isIn = lengths.map(
      (_, i) => !excluded?.[i] && (method.options.groupsWithoutSignal !== 'resample' || hasSignal(i)),
    );
    const { divisor, weightOfResponse } = aggregationOf(
      method.options.aggregation,
      lengths.filter((_, i) => isIn[i]),
      method.options.constantLength,
    );
    rows.forEach((row, i) => {
      expect(advantages[i], `A of row ${i}`).toBeCloseTo(Number(row.A), 4);
      const perToken = isIn[i] ? (advantages[i] * (weightOfResponse?.[i] ?? 1)) / divisor : 0;
      expect(Math.abs(perToken - Number(row['A per token'])), `row ${i} per token`).toBeLessThanOrEqual(5.1e-5);
    });
  });
});

describe('docs/methods/options.md', () => {
  it('has every method with the defaults of the code', () => {
    const rows = firstTable(text('options'));
    expect(rows.map(({ method }) => method.match(/\[(.*)\]/)?.[1])).toEqual([...METHOD_NAMES]);
    rows.forEach((row, i) => {
      const { options } = resolveMethod(methodSchema.parse({ name: METHOD_NAMES[i] }), {
        clipRatio: 0.2,
        maxTokens: 8,
      });
      expect(row).toMatchObject({
        ratio: options.ratio,
        aggregation: options.aggregation,
        clip: `${options.clipLow}, ${options.clipHigh}`,
        'groups without signal': options.groupsWithoutSignal,
        truncated: options.truncated,
        KL: options.kl,
      });
      if (METHOD_NAMES[i] !== 'capo') expect(row.scale).toBe(options.scale);
    });
  });

  it('links to pages that exist', () => {
    for (const name of [...METHOD_NAMES, 'options']) {
      for (const [, target] of text(name).matchAll(/\]\(([a-z-]+)\.md\)/g)) expect(existsSync(page(target))).toBe(true);
    }
  });
});
