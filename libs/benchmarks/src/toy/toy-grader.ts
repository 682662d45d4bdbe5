import type { Grade, GradeRequest, Grader } from '../grader.js';

/** The version of the toy task's grader. */
const VERSION = 'toy-integer/1';

/**
 * The grader of the toy task: the extractor that all benchmarks share, then equality of integers.
 */
export function toyGrader(): Grader {
  return {
    version: VERSION,
    grade: async (requests) => requests.map(gradeToy),
    close: async () => {},
  };
}

function gradeToy({ response, gold }: GradeRequest): Grade {
  const match = /#### (\d+)$/.exec(response);
  if (!match) return { verdict: 'no-answer', answer: null, reason: 'no answer marker' };
  return { verdict: match[1] === gold ? 'correct' : 'wrong', answer: match[1], reason: 'marker' };
}
