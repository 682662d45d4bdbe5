import { checkProbabilities, checkScoresAndLabels, type Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';

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
  checkScoresAndLabels(confidences, labels);
  checkProbabilities(confidences);
  let sum = 0;
  let impossible = 0;
  for (let i = 0; i < confidences.length; i++) {
    // log1p keeps the digits of a confidence near 0 for a wrong answer.
    const logProbability = labels[i] === 1 ? Math.log(confidences[i]) : Math.log1p(-confidences[i]);
    if (logProbability === Number.NEGATIVE_INFINITY) impossible++;
    else sum -= logProbability;
  }
  if (confidences.length === 0) return { ...undefinedBecause('there are no answers'), impossible };
  if (impossible > 0) {
    return { ...undefinedBecause(`${impossible} answers had probability 0, so the mean is infinite`), impossible };
  }
  return { ...defined(sum / confidences.length), impossible };
}
