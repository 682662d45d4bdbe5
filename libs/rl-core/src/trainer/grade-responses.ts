import type { Grade, GradeRequest, Grader } from '@capo/benchmarks';

/**
 * The grades of a batch from a grader that may throw. When it does, the responses are graded one by one, and those for
 * which it throws again become `grader-error`: one bad response costs itself, not its batch.
 */
export async function gradeResponses(grader: Grader, requests: readonly GradeRequest[]): Promise<Grade[]> {
  try {
    return await grader.grade(requests);
  } catch {
    const grades: Grade[] = [];
    for (const request of requests) grades.push(await gradeOne(grader, request));
    return grades;
  }
}

async function gradeOne(grader: Grader, request: GradeRequest): Promise<Grade> {
  try {
    const [grade] = await grader.grade([request]);
    return grade;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { verdict: 'grader-error', answer: null, reason: `the grader failed: ${reason}` };
  }
}
