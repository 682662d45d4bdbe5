import { auc } from './auc.js';
import { checkScoresAndLabels, type Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';
import { groupIndices } from './groups.js';

/** The mean of the AUCs within prompts, and what it left out. */
export interface PerPromptAuc extends Estimate {
  /** Prompts with both a correct and a wrong answer. */
  prompts: number;
  /** Prompts whose answers are all correct. */
  skippedAllCorrect: number;
  /** Prompts whose answers are all wrong. */
  skippedAllWrong: number;
}

/**
 * The mean over prompts of the AUC within a prompt's answers. It asks whether confidence tells right from wrong answers
 * to the same question, where the pooled AUC also profits from telling easy questions from hard ones. Prompts of one
 * class have no AUC; they are skipped and counted.
 *
 * @param prompts the prompt of each answer, as an integer id
 */
export function perPromptAuc(scores: Numbers, labels: Numbers, prompts: Numbers): PerPromptAuc {
  checkScoresAndLabels(scores, labels);
  const skipped = { skippedAllCorrect: 0, skippedAllWrong: 0 };
  let sum = 0;
  let count = 0;
  for (const indices of groupIndices(prompts, scores.length)) {
    const result = auc(
      indices.map((i) => scores[i]),
      indices.map((i) => labels[i]),
    );
    if (result.value !== null) {
      sum += result.value;
      count++;
    } else if (result.positives > 0) skipped.skippedAllCorrect++;
    else skipped.skippedAllWrong++;
  }
  const estimate =
    count > 0 ? defined(sum / count) : undefinedBecause('no prompt has both a correct and a wrong answer');
  return { ...estimate, prompts: count, ...skipped };
}
