import type { Numbers } from './checks.js';
import { type RankedScores, rankScores } from './ranked-scores.js';

/**
 * The accuracy of the surest answers at given coverages: of the `coverage * n` surest answers (not necessarily a whole
 * number) the share that is correct, with tied answers given in part, right and wrong alike. Null where nothing is
 * given.
 *
 * @param coverages in (0, 1]
 */
export function selectiveAccuracy(scores: Numbers, labels: Numbers, coverages: Numbers): (number | null)[] {
  return selectiveAccuracyOfRanked(rankScores(scores, labels), coverages);
}

/** `selectiveAccuracy` of scores that are already ranked; one pass for any number of coverages. */
export function selectiveAccuracyOfRanked(ranked: RankedScores, coverages: Numbers): (number | null)[] {
  const { n, counts, positiveCounts } = ranked;
  const accuracies = new Array<number | null>(coverages.length).fill(null);
  const ascending = [...accuracies.keys()].sort((a, b) => coverages[a] - coverages[b]);
  let group = counts.length - 1;
  let given = 0;
  let correct = 0;
  for (const index of ascending) {
    const coverage = coverages[index];
    if (!(coverage > 0 && coverage <= 1)) throw new RangeError(`coverage ${coverage} is not in (0, 1]`);
    if (n === 0) continue;
    const wanted = coverage * n;
    while (group >= 0 && given + counts[group] <= wanted) {
      given += counts[group];
      correct += positiveCounts[group];
      group--;
    }
    const part = group >= 0 ? (wanted - given) / counts[group] : 0;
    accuracies[index] = (correct + (group >= 0 ? part * positiveCounts[group] : 0)) / wanted;
  }
  return accuracies;
}

/** The largest coverage whose precision reaches a target, and the threshold that gives it. */
export interface CoverageAtPrecision {
  /** 0 when no threshold reaches the target: then every answer is withheld. */
  coverage: number;
  /** Answers with at least this score are given; null when none is. */
  threshold: number | null;
  /** Of the answers that are given; null when none is. */
  precision: number | null;
}

/**
 * The largest coverage at which the precision of the given answers is at least the target. It describes these answers;
 * chosen and reported on the same answers it is optimistic, so a promise for new ones needs `guaranteedThreshold` or a
 * second set.
 */
export function coverageAtPrecision(scores: Numbers, labels: Numbers, target: number): CoverageAtPrecision {
  return coverageAtPrecisionOfRanked(rankScores(scores, labels), target);
}

/** `coverageAtPrecision` of scores that are already ranked. */
export function coverageAtPrecisionOfRanked(ranked: RankedScores, target: number): CoverageAtPrecision {
  const { n, values, counts, positiveCounts } = ranked;
  let best: CoverageAtPrecision = { coverage: 0, threshold: null, precision: null };
  let given = 0;
  let correct = 0;
  for (let group = values.length - 1; group >= 0; group--) {
    given += counts[group];
    correct += positiveCounts[group];
    const precision = correct / given;
    if (precision >= target) best = { coverage: given / n, threshold: values[group], precision };
  }
  return best;
}
