import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractAnswer, extractGold } from './extract-answer.js';

/** [reply, answer, rule] */
type Case = [reply: string, answer: string | null, rule: string];

function check(cases: Case[]): void {
  it.each(cases)('%j gives %j by %s', (reply, answer, rule) => {
    const found = extractAnswer(reply);
    expect([found.answer, found.rule]).toEqual([answer, rule]);
  });
}

describe('the answer tag', () => {
  check([
    ['<answer>42</answer>', '42', 'answer-tag'],
    ['<answer>1</answer> no: <answer>\n 2 \n</answer>', '2', 'answer-tag'],
    // AI-Hypercomputer/maxtext#4150: the literal box came out of the tag.
    ['\\boxed{7} <answer>\\boxed{42}</answer>', '42', 'answer-tag'],
    ['<answer>The answer is $x = 3$.</answer>', 'x = 3', 'answer-tag'],
    ['<answer></answer> so \\boxed{5}', '5', 'box'],
  ]);
});

describe('the box', () => {
  check([
    ['\\boxed{1} and later \\boxed{\\frac{1}{2}}.', '\\frac{1}{2}', 'box'],
    ['\\boxed {\\{1, 2\\}}', '\\{1, 2\\}', 'box'],
    ['\\fbox{3}', '3', 'box'],
    ['the answer is $\\boxed 5$', '5', 'box'],
    ['\\boxed{\\boxed{6}}', '6', 'box'],
    ['\\boxed{7} and then \\boxed{8', '7', 'box'],
    ['put it in \\boxed{}. It is \\boxed{9}. In \\boxed{} as asked.', '9', 'box'],
    ['<|begin_of_box|>E<|end_of_box|>', 'E', 'box'],
    ['\\[ \\boxed{-2} \\quad \\text{and} \\quad \\boxed{1}. \\]', '-2, 1', 'box'],
    ['$\\boxed{2}$, $\\boxed{3}$', '2, 3', 'box'],
    ['$\\boxed{4}$ $\\boxed{5}$', '5', 'box'],
    ['\\boxed{4} = \\boxed{2 + 2}', '2 + 2', 'box'],
    ['\\boxed{1} no no no \\boxed{2}', '2', 'box'],
    ['\\boxed{5} <|im_end|> \\boxed{6}', '5', 'box'],
    ['$\\\x08oxed{5}$', '5', 'box'],
  ]);
});

describe('the GSM8K marker', () => {
  check([
    ['7 * 5 = 12 ; 12 + 3 = 15 #### 15', '15', 'marker'],
    ['so 18\n#### 18', '18', 'marker'],
    ['#### 1,018 dollars', '1,018 dollars', 'marker'],
    ['#### Step 2\nWe add 3 and 4.\nThe answer is 7.', '7', 'phrase'],
    ['#### 2\nThat is all.', '2', 'marker'],
  ]);
});

describe('the final-answer phrase', () => {
  check([
    ['The answer is 3. I hope the answer is correct.', '3', 'phrase'],
    ['Final Answer: The final answer is $\\frac{1}{2}$. I hope it is correct.', '\\frac{1}{2}', 'phrase'],
    ['**Final Answer:** 12 apples\n', '12 apples', 'phrase'],
    ['### Final Answer\n\n$$x = 4$$', 'x = 4', 'phrase'],
    ['Final Answer: The largest $n$ is 34.', '34', 'phrase'],
    ['the answer is $2$ or $3$, as we saw', '2, 3', 'phrase'],
    ['The answer is 42 because 6 times 7 is that', '42', 'phrase'],
    ["The answer is for sure D, it can't be A or B", 'D', 'phrase'],
    ['The answer is Evelyn.', 'Evelyn', 'phrase'],
    ['Bob has 3.\nA: 26', '26', 'phrase'],
    ['答案是 **192**。', '192', 'phrase'],
  ]);
});

describe('fallbacks, flagged', () => {
  check([
    ['Bob will spend $14.00 to buy his popsicles.', '$14.00', 'last-number'],
    // jundot/omlx#3484: a number class that matched a lone comma.
    ['72 clips, altogether', '72', 'last-number'],
    ['the model AZYUK2A', null, 'no answer'],
    ["it's not 10, it's 1,000.99m²", '1,000.99', 'last-number'],
    ['P(A) = 2/3 Therefore, the probability is 2/3.', '2/3', 'last-number'],
    ['The cost is 100 - 30 = 70 dollars', '70', 'last-number'],
    ['Therefore $x < 5$ is the solution.', 'x < 5', 'last-math'],
    // promptfoo/promptfoo#9142: two display formulas were joined.
    ['So we get\n$$2$$ $$3$$', '3', 'last-math'],
    ["It's not A because it makes no sense, therefore I think it's B", 'B', 'choice'],
  ]);

  it('are flagged, the marked answers are not', () => {
    expect(extractAnswer('He has 5 left.').fallback).toBe(true);
    expect(extractAnswer('\\boxed{5}').fallback).toBe(false);
  });
});

describe('a reply that is an answer', () => {
  check([
    ['1/2', '1/2', 'bare'],
    ['$\\frac{1}{2}$', '\\frac{1}{2}', 'bare'],
    ['$28$ percent', '$28$ percent', 'bare'],
    ['(3, \\frac{\\pi}{2})', '(3, \\frac{\\pi}{2})', 'bare'],
    ['no solution', 'no solution', 'bare'],
  ]);
});

describe('thinking blocks', () => {
  check([
    ['<think>\\boxed{3}?</think> The answer is 4.', '4', 'phrase'],
    ['so \\boxed{3}</think>\\boxed{4}', '4', 'box'],
    ['<think>\\boxed{3} but wait', null, 'unfinished thinking'],
    ['', null, 'no answer'],
  ]);
});

describe('extractGold', () => {
  it('takes the marked part of a solution and the whole of an answer', () => {
    expect(extractGold('Thus $x = \\boxed{1,-2}.$')).toBe('1,-2');
    // EleutherAI/lm-evaluation-harness#1204: the derivation was compared instead of what follows the marker.
    expect(extractGold('9 * 2 = $<<9*2=18>>18.\n#### 18')).toBe('18');
    expect(extractGold('\\$32,\\!348')).toBe('\\$32,\\!348');
    expect(extractGold('1/2 of 30')).toBe('1/2 of 30');
  });
});

describe('hostile replies', () => {
  it('never throws, and finds the same answer in the answer', () => {
    const piece = fc.constantFrom(
      '\\boxed',
      '{',
      '}',
      '$',
      '\\[',
      '\\(',
      '####',
      '**',
      '5',
      'answer is',
      '<answer>',
      '\\',
      '\n',
      ' ',
      '```',
      '(',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(piece, { maxLength: 60 }).map((p) => p.join('')),
        ),
        (reply) => {
          const { answer, rule } = extractAnswer(reply);
          expect(answer === null).toBe(rule === 'no answer' || rule === 'unfinished thinking');
        },
      ),
      { numRuns: 3000 },
    );
  });

  it.each([
    '\\boxed{',
    '$',
    '\\[',
    '**',
    '####',
    'the answer is ',
    '<answer>',
    '(',
    '1',
    '1,',
    '\\(',
    '<<1',
    '`',
    '\\begin{a}\n',
  ])('is done in time with 400,000 characters of %j', (piece) => {
    const start = performance.now();
    extractAnswer(piece.repeat(Math.ceil(400_000 / piece.length)));
    // Milliseconds when the work is linear; minutes when it is not.
    expect(performance.now() - start).toBeLessThan(3000);
  });
});
