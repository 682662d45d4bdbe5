import { checkProbabilities, checkScoresAndLabels, type Numbers } from './checks.js';

/** A temperature and what it does to the negative log-likelihood. */
export interface TemperatureScaling {
  /** Above 1: the confidences were too extreme. Within [0.01, 100]. */
  temperature: number;
  /** Mean negative log-likelihood after scaling, nats. */
  negativeLogLikelihood: number;
  /** Whether the search ended at a bound, as it does when one class is missing. */
  atBound: boolean;
}

/** Confidences nearer to 0 or 1 are moved this far in, since their logits would be infinite. */
const MARGIN = 1e-12;
const SMALLEST = 0.01;
const LARGEST = 100;

/** The confidence after division of its logit by the temperature. */
export function scaleByTemperature(confidence: number, temperature: number): number {
  return 1 / (1 + Math.exp(-logit(confidence) / temperature));
}

/**
 * Temperature scaling (Guo et al. 2017) of the event that the answer is correct: the temperature that minimises the
 * negative log-likelihood of `sigmoid(logit(confidence) / T)`. Monotone, so AUC and precision-coverage stay as they are.
 * Fit it on answers that are not reported on.
 *
 * @throws RangeError for confidences outside [0, 1] or no answers
 */
export function fitTemperature(confidences: Numbers, labels: Numbers): TemperatureScaling {
  checkScoresAndLabels(confidences, labels);
  checkProbabilities(confidences);
  if (confidences.length === 0) throw new RangeError('there are no answers to fit a temperature to');
  const logits = Float64Array.from(confidences, logit);
  const loss = (logTemperature: number) => meanLoss(logits, labels, Math.exp(logTemperature));
  // The loss is convex in 1/T, so it has one valley in log T: golden-section search.
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [Math.log(SMALLEST), Math.log(LARGEST)];
  let left = high - ratio * (high - low);
  let right = low + ratio * (high - low);
  let [lossLeft, lossRight] = [loss(left), loss(right)];
  while (high - low > 1e-9) {
    if (lossLeft <= lossRight) {
      [high, right, lossRight] = [right, left, lossLeft];
      left = high - ratio * (high - low);
      lossLeft = loss(left);
    } else {
      [low, left, lossLeft] = [left, right, lossRight];
      right = low + ratio * (high - low);
      lossRight = loss(right);
    }
  }
  const best = (low + high) / 2;
  const edge = 1e-6;
  return {
    temperature: Math.exp(best),
    negativeLogLikelihood: loss(best),
    atBound: best < Math.log(SMALLEST) + edge || best > Math.log(LARGEST) - edge,
  };
}

function logit(confidence: number): number {
  const inside = Math.min(1 - MARGIN, Math.max(MARGIN, confidence));
  return Math.log(inside / (1 - inside));
}

/** Mean of log(1 + exp(-+ logit / T)), without overflow. */
function meanLoss(logits: Float64Array, labels: Numbers, temperature: number): number {
  let sum = 0;
  for (let i = 0; i < logits.length; i++) {
    const z = (labels[i] === 1 ? -logits[i] : logits[i]) / temperature;
    sum += Math.max(0, z) + Math.log1p(Math.exp(-Math.abs(z)));
  }
  return sum / logits.length;
}
