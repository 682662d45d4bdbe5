import { checkScoresAndLabels, type Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';

/** How many answers are wrong although their confidence is high. */
export interface ConfidentErrors extends Estimate {
  wrong: number;
  confidentWrong: number;
}

/**
 * The share of confident wrong answers: of all answers, those that are wrong with a score of at least the threshold.
 * What a user who trusts high confidence is misled by. Null without answers.
 */
export function confidentErrors(scores: Numbers, labels: Numbers, threshold: number): ConfidentErrors {
  checkScoresAndLabels(scores, labels);
  let wrong = 0;
  let confidentWrong = 0;
  for (let i = 0; i < scores.length; i++) {
    if (labels[i] === 1) continue;
    wrong++;
    if (scores[i] >= threshold) confidentWrong++;
  }
  const n = scores.length;
  const estimate = n > 0 ? defined(confidentWrong / n) : undefinedBecause('there are no answers');
  return { ...estimate, wrong, confidentWrong };
}
