import { describe, expect, it } from 'vitest';
import { checkProblems } from './check-problems.js';
import type { SetSource } from './manifest.js';
import { mapRow } from './map-rows.js';

function mapped(answer: unknown, rules: SetSource['answer'] = [], problem = 'Find $x$.') {
  const fields = { id: 'id', problem: 'problem', answer: 'answer' };
  const source: SetSource = {
    name: 's',
    file: 's.jsonl',
    format: 'jsonl',
    sha256: null,
    bytes: null,
    fields,
    answer: rules,
  };
  const { problems, findings } = checkProblems([mapRow({ id: 'a', problem, answer }, 0, source, 'set')]);
  return { ...problems[0], findings: findings.map(({ severity, message }) => `${severity}: ${message}`) };
}

const LOST = 'mended: the reference had control characters where backslashes were lost';

describe('references', () => {
  // Math-Verify#35: '\frac12' in a careless string literal is a form feed and 'rac12'. A form feed is white space to trim().
  it.each<[string, string, SetSource['answer']]>([
    ['\frac12', '\\frac12', []],
    ['  \frac12 ', '\\frac12', []],
    ['\r\n\text{Yes}\n', '\\text{Yes}', []],
    ['\vec{v}', '\\vec{v}', []],
    ['\boxed{2}', '\\boxed{2}', []],
    ['thus\n#### \frac12', '\\frac12', ['after-marker']],
    ['$\frac12$', '\\frac12', ['without-dollars']],
  ])('keep a command that begins them and lost its backslash: %j', (answer, gold, rules) => {
    expect(mapped(answer, rules)).toMatchObject({ gold, findings: [LOST] });
  });

  it('lose white space at their ends', () => {
    expect(mapped('\f 12\t\n')).toMatchObject({ gold: '12', findings: [] });
  });

  it('are reported with a tab, and refused without the marker', () => {
    expect(mapped('1\t2').findings).toEqual(['note: the reference holds a tab']);
    expect(mapped('So 12.', ['after-marker']).findings).toEqual(['error: the reference answer is missing']);
  });

  it.each([
    [27, '27'],
    ['27.0', '27'],
    ['-3.0', '-3'],
    ['027', '27'],
    ['2.50', '2.50'],
    [70n, '70'],
  ])('%s is the plain number %s', (answer, gold) => {
    expect(mapped(answer, ['plain-number']).gold).toBe(gold);
  });
});

describe('problems', () => {
  it('keep the tabs that indent lines, whatever follows', () => {
    const list = 'Steps:\n\textend the side\n\t\tan integer';
    expect(mapped('1', [], list)).toMatchObject({ prompt: list, findings: [] });
  });

  it('get lost backslashes back inside of a line', () => {
    expect(mapped('1', [], 'The circle of $\triangle DEF$').prompt).toBe('The circle of $\\triangle DEF$');
  });
});
