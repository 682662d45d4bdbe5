import { checkProbabilities, type Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';
import { type RankedScores, rankScores } from './ranked-scores.js';

/** The Brier score and Murphy's three parts of it. */
export interface BrierScore extends Estimate {
  /** Mean squared distance of a confidence from the accuracy of the answers that share it; lower is better. */
  reliability: number | null;
  /** Mean squared distance of that accuracy from the overall accuracy; higher is better. */
  resolution: number | null;
  /** accuracy (1 - accuracy): what no forecast can change. */
  uncertainty: number | null;
}

/**
 * The Brier score, the mean of (confidence - correct)^2 (Brier 1950), with Murphy's decomposition (1973) over the
 * distinct confidences: score = reliability - resolution + uncertainty, exactly, since no bins are made. Where nearly
 * every confidence is distinct, reliability and resolution say little; the score itself does.
 *
 * @throws RangeError for a confidence outside [0, 1]
 */
export function brierScore(confidences: Numbers, labels: Numbers): BrierScore {
  checkProbabilities(confidences);
  return brierScoreOfRanked(rankScores(confidences, labels));
}

/** `brierScore` of confidences that are already ranked. */
export function brierScoreOfRanked({ n, positives, values, counts, positiveCounts }: RankedScores): BrierScore {
  if (n === 0) {
    return { ...undefinedBecause('there are no answers'), reliability: null, resolution: null, uncertainty: null };
  }
  const base = positives / n;
  let score = 0;
  let reliability = 0;
  let resolution = 0;
  for (let group = 0; group < values.length; group++) {
    const accuracy = positiveCounts[group] / counts[group];
    const wrong = counts[group] - positiveCounts[group];
    score += (positiveCounts[group] * (1 - values[group]) ** 2 + wrong * values[group] ** 2) / n;
    reliability += (counts[group] / n) * (values[group] - accuracy) ** 2;
    resolution += (counts[group] / n) * (accuracy - base) ** 2;
  }
  return { ...defined(score), reliability, resolution, uncertainty: base * (1 - base) };
}
