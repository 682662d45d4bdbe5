import type { CollectOptions, Judge } from '../collect-samples.js';
import type { PromptedProblem } from '../plan-draws.js';

/** What the tests collect: problems that the mock server answers with up to four digits. */
export function collectArguments(path: string, problemCount = 100, draws = 20) {
  const problems: PromptedProblem[] = Array.from({ length: problemCount }, (_, i) => ({
    benchmark: 'mock',
    problemId: `p${i}`,
    prompt: `problem ${i}`,
    gold: String((i % 4) + 1),
  }));
  const judge: Judge = {
    version: 'last-digit/1',
    grade: async (requests) =>
      requests.map(({ response, gold }) => {
        const answer = response.at(-1) ?? null;
        return { answer, verdict: answer === gold ? 'correct' : 'wrong', reason: 'last-digit' };
      }),
  };
  const options: CollectOptions = { run: 'test', seed: 1, draws, path, draw: { maxTokens: 8, temperature: 1 } };
  return { problems, judge, options };
}
