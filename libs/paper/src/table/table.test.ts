import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { renderCsv, renderLatex, renderMarkdown, renderText } from './render-table.js';
import { formatCell, type Table } from './table.js';

const table: Table = {
  title: 'AUC',
  header: ['method', 'chain2', 'x|y'],
  rows: [
    ['GRPO', '0.5', 'n/a'],
    ['CAPO (ours)', '0.75', '1'],
  ],
  notes: ['toy scale'],
};

describe('formatCell', () => {
  it('writes value and interval, a sign for differences, and n/a', () => {
    expect(formatCell({ value: 0.7126, low: 0.69, high: 0.735 })).toBe('0.713 [0.690, 0.735]');
    expect(formatCell({ value: 0.02, low: -0.01, high: 0.05 }, { signed: true })).toBe('+0.020 [-0.010, +0.050]');
    expect(formatCell({ value: 0.5, low: null, high: null })).toBe('0.500');
    expect(formatCell({ value: null, low: null, high: null })).toBe('n/a');
  });
});

describe('tables', () => {
  it('aligns text', () => {
    expect(renderText(table).split('\n').slice(1, 5)).toEqual([
      'method       chain2  x|y',
      '-----------  ------  ---',
      'GRPO            0.5  n/a',
      'CAPO (ours)    0.75    1',
    ]);
  });

  it('escapes what Markdown would take for a column', () => {
    expect(renderMarkdown(table)).toContain('| method | chain2 | x\\|y |');
  });

  it('writes LaTeX for booktabs with every special character escaped', () => {
    const latex = renderLatex({ ...table, title: '50 % of a_b & {c} \\ ~ ^ # $ < >', notes: ['line\nbreak'] });
    expect(latex).toContain('\\begin{tabular}{lrr}');
    expect(latex).toContain('method & chain2 & x|y \\\\');
    expect(latex).toContain(
      '50 \\% of a\\_b \\& \\{c\\} \\textbackslash{} \\textasciitilde{} \\textasciicircum{} \\# \\$ \\textless{}',
    );
    expect(latex).toContain('line break');
  });

  it('leaves no special character of LaTeX bare, whatever stands in a cell', () => {
    fc.assert(
      fc.property(fc.string(), (cell) => {
        const row = renderLatex({ title: '', header: ['a', 'b'], rows: [['x', cell]], notes: [] }).split('\n')[7];
        const content = row
          .trim()
          .replace(/^x & /, '')
          .replace(/ ?\\\\$/, '');
        const bare = content.replace(
          /\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater)\{\}|\\[&%$#_{}]/g,
          '',
        );
        expect(bare).not.toMatch(/[\\&%$#_{}~^]/);
      }),
    );
  });

  it('writes CSV that comes back, whatever stands in a cell', () => {
    const cell = fc.oneof(fc.string(), fc.constantFrom('a,b', '"', 'line\r\nbreak', '', ' x '));
    fc.assert(
      fc.property(fc.array(fc.record({ a: cell, b: cell }), { minLength: 1 }), (records) => {
        const parsed = Papa.parse<Record<string, string>>(renderCsv(records).replace(/\r\n$/, ''), { header: true });
        expect(parsed.data).toEqual(records);
      }),
    );
  });
});
