import { deriveSeed, InputError, sampleId } from '@capo/samples';
import type { PromptRequest } from '../policy.js';

/** A problem as the model is asked it. */
export interface PromptedProblem {
  benchmark: string;
  /** Unique within the benchmark. */
  problemId: string;
  /** The whole prompt, instructions included. */
  prompt: string;
  gold: string;
}

/** One draw that is still to be made. */
export interface PlannedDraw {
  request: PromptRequest;
  problem: PromptedProblem;
  drawIndex: number;
}

/**
 * All draws of the problems that are not finished yet, problem by problem. The seed of a draw depends on the run's
 * seed, the problem and the draw alone, and has 31 bits since some servers hold it in a signed integer.
 *
 * @param finished ids of samples that are there already
 * @throws InputError when two problems have the same id
 */
export function planDraws(
  problems: readonly PromptedProblem[],
  options: { run: string; seed: number; draws: number },
  finished: ReadonlySet<string>,
): PlannedDraw[] {
  const planned: PlannedDraw[] = [];
  const seen = new Set<string>();
  for (const problem of problems) {
    const { benchmark, problemId, prompt } = problem;
    const key = JSON.stringify([benchmark, problemId]);
    if (seen.has(key)) throw new InputError(`The problem "${problemId}" of ${benchmark} occurs twice.`);
    seen.add(key);
    for (let drawIndex = 0; drawIndex < options.draws; drawIndex++) {
      const id = sampleId(options.run, benchmark, problemId, drawIndex);
      if (finished.has(id)) continue;
      const seed = deriveSeed(options.seed, 'sample', benchmark, problemId, drawIndex) >>> 1;
      planned.push({ request: { id, prompt, seed }, problem, drawIndex });
    }
  }
  return planned;
}
