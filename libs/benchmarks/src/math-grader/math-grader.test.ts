import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Grade, Grader } from '../grader.js';
import { judge } from './judge.js';
import { mathGrader } from './math-grader.js';

async function withGrader<T>(work: (grader: Grader) => Promise<T>, deadlineMs = 5000): Promise<T> {
  const grader = mathGrader({ deadlineMs });
  try {
    return await work(grader);
  } finally {
    await grader.close();
  }
}

const verdicts = (grades: readonly Grade[]) => grades.map(({ verdict }) => verdict);

describe('mathGrader', () => {
  it('judges batches in the order of their requests, one after the other', async () => {
    const numbers = Array.from({ length: 100 }, (_, i) => ({ response: `\\boxed{${i}}`, gold: String(i - (i % 2)) }));
    const [first, second] = await withGrader((grader) =>
      Promise.all([grader.grade(numbers), grader.grade(numbers.slice(1))]),
    );
    const expected = numbers.map((_, i) => (i % 2 === 0 ? 'correct' : 'wrong'));
    expect(verdicts(first)).toEqual(expected);
    expect(verdicts(second)).toEqual(expected.slice(1));
    expect(await withGrader((grader) => grader.grade([]))).toEqual([]);
  });

  it('keeps the answer and the rules that fired', async () => {
    const [grade] = await withGrader((grader) => grader.grade([{ response: 'So \\boxed{\\frac12}.', gold: '0.5' }]));
    expect(grade).toEqual({ verdict: 'correct', answer: '\\frac12', reason: 'box, exact numbers' });
  });

  it('asks the computer algebra system for what is beyond its own reading', async () => {
    const grades = await withGrader((grader) =>
      grader.grade([
        { response: '\\boxed{\\lim_{x\\to 0}\\frac{\\sin x}{x}}', gold: '1' },
        { response: '\\boxed{\\lim_{x\\to 0}\\frac{\\sin x}{x}}', gold: '2' },
        { response: '\\boxed{\\det A}', gold: '\\det(A) + 0' },
      ]),
    );
    expect(verdicts(grades)).toEqual(['correct', 'wrong', 'grader-error']);
  });

  it('kills a thread that does not end, says timeout, and judges the others', async () => {
    // A computer algebra system adds up the terms of this for half a minute.
    const endless = { response: '\\boxed{\\sum_{k=1}^{\\infty} \\frac{1}{2^k}}', gold: '3' };
    const fine = { response: '\\boxed{4}', gold: '4' };
    const grades = await withGrader((grader) => grader.grade([fine, endless, fine, fine]), 1000);
    expect(verdicts(grades)).toEqual(['correct', 'timeout', 'correct', 'correct']);
    expect(grades[1].reason).toContain('1000 ms');
  });

  it.each<[string, string]>([
    ['a tower of powers', '\\boxed{9^{9^{9^{9^{9}}}}}'],
    ['a huge factorial', '\\boxed{99999999!}'],
    ['a huge binomial', '\\boxed{\\binom{10^{300}}{10^{299}}}'],
    ['a million digits', `\\boxed{${'9'.repeat(1_000_000)}}`],
    ['brackets without end', '('.repeat(200_000)],
    ['braces within braces', `\\boxed{${'{'.repeat(1900)}1${'}'.repeat(1900)}}`],
    ['roots within roots', `\\boxed{${'\\sqrt{'.repeat(500)}2${'}'.repeat(500)}}`],
    ['boxes within boxes', `${'\\boxed{'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['boxes that never close', '\\boxed{'.repeat(50_000)],
    ['sums within sums', '\\boxed{\\sum_{a=1}^{999}\\sum_{b=1}^{999}\\sum_{c=1}^{999} abc}'],
    ['many signs', `\\boxed{${'\\pm 1'.repeat(400)}}`],
    ['many elements', `\\boxed{${'1,'.repeat(1900)}1}`],
    ['emphasis within emphasis', `\\boxed{${'**$'.repeat(100_000)}}`],
    ['dollars', '$'.repeat(400_000)],
    ['answer phrases', 'the answer is '.repeat(20_000)],
    ['thinking blocks', '<think>'.repeat(50_000)],
    ['an exponent that is a number of digits', '\\boxed{1e999999999}'],
    ['a chain of relations', `\\boxed{${'x = '.repeat(900)}1}`],
    ['a large matrix', `\\boxed{\\begin{pmatrix}${'1 & 2 \\\\'.repeat(300)}\\end{pmatrix}}`],
    ['half an emoji', '\\boxed{\ud83d}'],
    ['null characters', '\\boxed{\0\0\0}'],
  ])('does not hang or err on %s', async (_name, response) => {
    const [against7, againstItself] = await withGrader((grader) =>
      grader.grade([
        { response, gold: '7' },
        { response, gold: '\\frac{1}{2}' },
      ]),
    );
    expect(['wrong', 'no-answer']).toContain(against7.verdict);
    expect(['wrong', 'no-answer']).toContain(againstItself.verdict);
  });

  it('refuses an empty reference, which nothing can be equal to', async () => {
    const [grade] = await withGrader((grader) => grader.grade([{ response: '\\boxed{5}', gold: ' ' }]));
    expect(grade.verdict).toBe('grader-error');
  });
});

describe('judge', () => {
  it.each<[string, string, string, string]>([
    // Math-Verify#34, #81
    ['no answer for a mixed number without a proper fraction', '\\boxed{4 10/3}', '10', 'no-answer'],
    ['no answer for an empty reply', '', '5', 'no-answer'],
    ['no answer for a reply cut while thinking', '<think> 5 is \\boxed{5}', '5', 'no-answer'],
    ['no answer for a lone comma', 'Let us think about it, step by step, and then look at it again.', '5', 'no-answer'],
    // open-compass/opencompass#2426, EleutherAI/lm-evaluation-harness#3214
    ['money with commas', 'She pays $1,250.00.', '1250', 'correct'],
    ['currency in the reference too', 'It is 29.', '$29.00', 'correct'],
    // EleutherAI/lm-evaluation-harness#1204
    ['a reference with its derivation', '\\boxed{18}', '9 * 2 = 18\n#### 18', 'correct'],
    // facebookresearch/deepconf#15
    ['fractions in two notations', '\\boxed{\\frac{1}{2}}', '0.5', 'correct'],
    // promptfoo/promptfoo#9142
    ['two display formulas on the last line', 'We get $$x = 2$$ and $$3$$', '3', 'correct'],
    // huggingface/Math-Verify#35: the backslash of \\frac was lost.
    ['a reference with a form feed', '\\boxed{\\frac{1}{2}}', '\x0crac12', 'correct'],
  ])('%s', (_name, response, gold, verdict) => {
    expect(judge({ response, gold }).verdict).toBe(verdict);
  });

  it('never throws and never calls an answer different from itself', () => {
    const piece = fc.constantFrom(
      ...[
        '\\frac',
        '{',
        '}',
        '(',
        ')',
        '[',
        ']',
        '^',
        '_',
        '1',
        '23',
        'x',
        'e',
        'i',
        '+',
        '-',
        '/',
        '!',
        '%',
        '\\pm ',
        '|',
        '=',
        '<',
      ],
      ...[
        ',',
        ';',
        ':',
        '\\cup ',
        '\\text{and}',
        '$',
        '\\\\',
        '&',
        '\\begin{pmatrix}',
        '\\end{pmatrix}',
        ' ',
        '.',
        '\\infty',
        '√',
        '\\{',
        '\\}',
      ],
      ...[
        '\\sum_{k=0}^{n}',
        'k',
        'n',
        '\\sin ',
        '\\log_2 ',
        '\\in ',
        '0.5',
        '\\overline{3}',
        '²',
        "'",
        '\\mathbb{R}',
        '\\setminus',
        'kg',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const answer = pieces.join('');
        const { verdict, comparison } = judge({ response: `\\boxed{${answer}}`, gold: answer });
        expect(['correct', 'wrong', 'no-answer', 'grader-error']).toContain(verdict);
        // The reference may hold a marker or braces that the extractor reads otherwise; what is compared is what counts.
        if (comparison && comparison.gold.notation === comparison.answer.notation) expect(verdict).not.toBe('wrong');
      }),
      { numRuns: 2000, seed: 7 },
    );
  });
});
