import { checkProbabilities, type Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';
import { type RankedScores, rankScores } from './ranked-scores.js';

/** A negative log-likelihood and how many answers were certain and wrong about it. */
export interface NegativeLogLikelihood extends Estimate {
  /** Answers with confidence 0 that are correct or confidence 1 that are wrong; each would make the mean infinite. */
  impossible: number;
}

/**
 * The mean negative log-likelihood in nats ("log loss"): -log confidence for a correct answer, -log (1 - confidence) for
 * a wrong one. Null with a count when an answer was given probability 0: the mean is infinite, and clipping the
 * confidence would put an arbitrary number in its place.
 */
export function negativeLogLikelihood(confidences: Numbers, labels: Numbers): NegativeLogLikelihood {
  checkProbabilities(confidences);
  return negativeLogLikelihoodOfRanked(rankScores(confidences, labels));
}

/** `negativeLogLikelihood` of confidences that are already ranked. */
export function negativeLogLikelihoodOfRanked(ranked: RankedScores): NegativeLogLikelihood {
  const { n, values, counts, positiveCounts } = ranked;
  let sum = 0;
  let impossible = 0;
  const add = (count: number, logProbability: number) => {
    if (count === 0) return;
    if (logProbability === Number.NEGATIVE_INFINITY) impossible += count;
    else sum -= count * logProbability;
  };
  for (let group = 0; group < values.length; group++) {
    add(positiveCounts[group], Math.log(values[group]));
    // log1p keeps the digits of a confidence near 0 for a wrong answer.
    add(counts[group] - positiveCounts[group], Math.log1p(-values[group]));
  }
  if (n === 0) return { ...undefinedBecause('there are no answers'), impossible };
  if (impossible > 0) {
    return { ...undefinedBecause(`${impossible} answers had probability 0, so the mean is infinite`), impossible };
  }
  return { ...defined(sum / n), impossible };
}
