import { extractAnswer } from '../extraction/extract-answer.js';
import type { Grade, GradeRequest, Grader } from '../grader.js';

/** The version of the toy task's grader. */
const VERSION = 'toy-integer/1';

/**
 * The grader of the toy task: the extractor that all benchmarks share, then equality of integers. Only an answer behind
 * the marker counts; a reply that was cut off before it has none, whatever number it ends with.
 */
export function toyGrader(): Grader {
  return {
    version: VERSION,
    grade: async (requests) => requests.map(gradeToy),
    close: async () => {},
  };
}

function gradeToy({ response, gold }: GradeRequest): Grade {
  const { answer, rule } = extractAnswer(response);
  if (answer === null || rule !== 'marker') return { verdict: 'no-answer', answer: null, reason: 'no answer marker' };
  return { verdict: Number(answer) === Number(gold) ? 'correct' : 'wrong', answer, reason: rule };
}
