import type { Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';
import { type RankedScores, rankScores } from './ranked-scores.js';

/** The area under the risk-coverage curve and its excess over the best possible order. */
export interface AreaUnderRiskCoverage extends Estimate {
  /** The area when every correct answer is surer than every wrong one. */
  optimal: number | null;
  /** value - optimal (E-AURC, Geifman et al. 2019). */
  excess: number | null;
}

/**
 * The area under the risk-coverage curve (Geifman & El-Yaniv 2017): the mean over k = 1..n of the risk, the share of
 * wrong answers, among the k surest answers. Within a group of tied scores the wrong ones are spread evenly, which is
 * the expectation over random orders of the ties; so the area does not depend on the order of the input. No trapezoid
 * and no point at coverage 0.
 */
export function areaUnderRiskCoverage(scores: Numbers, labels: Numbers): AreaUnderRiskCoverage {
  return areaUnderRiskCoverageOfRanked(rankScores(scores, labels));
}

/** `areaUnderRiskCoverage` of scores that are already ranked. */
export function areaUnderRiskCoverageOfRanked(ranked: RankedScores): AreaUnderRiskCoverage {
  const { n, positives, counts, positiveCounts } = ranked;
  if (n === 0) return { ...undefinedBecause('there are no answers'), optimal: null, excess: null };
  let sum = 0;
  let given = 0;
  let wrong = 0;
  for (let group = counts.length - 1; group >= 0; group--) {
    const wrongShare = (counts[group] - positiveCounts[group]) / counts[group];
    for (let k = 1; k <= counts[group]; k++) sum += (wrong + k * wrongShare) / (given + k);
    given += counts[group];
    wrong += counts[group] - positiveCounts[group];
  }
  let optimalSum = 0;
  for (let k = positives + 1; k <= n; k++) optimalSum += (k - positives) / k;
  const value = sum / n;
  const optimal = optimalSum / n;
  return { ...defined(value), optimal, excess: value - optimal };
}
