import { extractAnswer, extractGold } from './extraction/extract-answer.js';
import type { Grade, GradeRequest, Grader } from './grader.js';

/**
 * The grader of benchmarks whose answers are whole numbers, such as AIME, AMC and GSM8K: the extractor that all
 * benchmarks share, then equality of numbers. A reference that is no whole number makes a `grader-error`, never a
 * `wrong`.
 */
export function integerGrader(): Grader {
  return {
    version: 'integer/1',
    grade: async (requests) => requests.map(gradeInteger),
    close: async () => {},
  };
}

/** The whole number that a text is, or null. Thousands separators and a decimal part of zeros are accepted. */
export function wholeNumber(text: string): number | null {
  const plain = text
    .trim()
    .replace(/^\$/, '')
    .replace(/\$$/, '')
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, '');
  if (!/^[+-]?\d+(\.0*)?$/.test(plain)) return null;
  const value = Number(plain);
  return Number.isSafeInteger(value) ? value : null;
}

function gradeInteger({ response, gold }: GradeRequest): Grade {
  const wanted = wholeNumber(extractGold(gold));
  if (wanted === null) return { verdict: 'grader-error', answer: null, reason: 'the reference is no whole number' };
  const { answer, rule } = extractAnswer(response);
  if (answer === null) return { verdict: 'no-answer', answer: null, reason: rule };
  return { verdict: wholeNumber(answer) === wanted ? 'correct' : 'wrong', answer, reason: rule };
}
