import type { EvaluationLine } from './evaluate.js';

/** By what the best policy is chosen, and when a run without progress ends. */
export interface Selection {
  metric: 'accuracy' | 'auc' | 'perPromptAuc';
  /** Evaluations without a better value after which the run ends; 0 never ends it. */
  patience: number;
}

/** The best evaluation so far. */
export interface BestSoFar {
  step: number;
  value: number;
  /** Evaluations since then. */
  since: number;
}

/** The name under which evaluations on the validation problems are logged. */
export const VALIDATION = 'validation';

/**
 * The best evaluation on the validation problems, from the log alone, so that a resumed run knows it too. The earlier
 * of equal ones counts; evaluations whose metric is undefined are no better than any. Null before the first value.
 */
export function bestSoFar(evaluations: readonly EvaluationLine[], { metric }: Selection): BestSoFar | null {
  let best: BestSoFar | null = null;
  for (const line of evaluations) {
    if (line.suite !== VALIDATION) continue;
    const value = line[metric];
    if (value !== null && (best === null || value > best.value)) best = { step: line.step, value, since: 0 };
    else if (best) best.since++;
  }
  return best;
}
