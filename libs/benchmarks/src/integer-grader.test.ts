import { describe, expect, it } from 'vitest';
import { integerGrader, wholeNumber } from './integer-grader.js';

const grade = async (response: string, gold: string) => (await integerGrader().grade([{ response, gold }]))[0];

describe('integerGrader', () => {
  it.each([
    ['So it is \\boxed{204}.', '204', 'correct'],
    ['\\boxed{033}', '33', 'correct'],
    ['The total is #### 1,234', '1234', 'correct'],
    ['\\boxed{27}', '27.0', 'correct'],
    ['\\boxed{205}', '204', 'wrong'],
    ['\\boxed{\\frac{408}{2}}', '204', 'wrong'],
    ['\\boxed{-7}', '7', 'wrong'],
    ['', '204', 'no-answer'],
    ['\\boxed{3}', '\\frac{1}{2}', 'grader-error'],
  ])('judges %j against %j as %s', async (response, gold, verdict) => {
    expect((await grade(response, gold)).verdict).toBe(verdict);
  });
});

describe('wholeNumber', () => {
  it('accepts separators between groups of three and a decimal part of zeros only', () => {
    expect(
      ['1,234,567', '-3', '+4', '5.00', ' 6 ', '$7', '1,23', '2.5', '1e3', '', 'x', '9'.repeat(30)].map(wholeNumber),
    ).toEqual([1234567, -3, 4, 5, 6, 7, null, null, null, null, null, null]);
  });
});
