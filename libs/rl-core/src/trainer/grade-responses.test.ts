import type { Grader } from '@capo/benchmarks';
import { describe, expect, it } from 'vitest';
import { gradeResponses } from './grade-responses.js';

const grader: Grader = {
  version: 'throws/1',
  grade: async (requests) =>
    requests.map(({ response, gold }) => {
      if (response === 'bomb') throw new Error('cannot read this');
      return { verdict: response === gold ? 'correct' : 'wrong', answer: response, reason: 'equal' };
    }),
  close: async () => {},
};

describe('gradeResponses', () => {
  it('keeps the grades of all others when the grader throws for one response', async () => {
    const grades = await gradeResponses(
      grader,
      ['1', 'bomb', '2'].map((response) => ({ response, gold: '1' })),
    );
    expect(grades.map(({ verdict }) => verdict)).toEqual(['correct', 'grader-error', 'wrong']);
    expect(grades[1].reason).toBe('the grader failed: cannot read this');
  });
});
