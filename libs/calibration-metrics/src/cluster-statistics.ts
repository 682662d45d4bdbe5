import { checkScoresAndLabels, type Numbers } from './checks.js';
import type { ClusterStatistic } from './cluster-bootstrap.js';
import type { RankedScores } from './ranked-scores.js';

/**
 * The mean over clusters of one value each, for instance a prompt's accuracy or its AUC. A NaN marks a cluster without
 * a value; it is left out. Null when no cluster that was drawn has one.
 */
export function meanStatistic(values: Numbers): ClusterStatistic {
  return (multiplicity) => {
    let sum = 0;
    let count = 0;
    for (let cluster = 0; cluster < values.length; cluster++) {
      if (Number.isNaN(values[cluster])) continue;
      sum += multiplicity[cluster] * values[cluster];
      count += multiplicity[cluster];
    }
    return count > 0 ? sum / count : null;
  };
}

/**
 * The ranked scores of a resample, for any metric of ranked scores of items that come in clusters. The scores are sorted
 * once; a resample costs one pass that counts every item as often as its cluster was drawn. The result is overwritten by
 * the next resample.
 *
 * @param clusters the cluster of each item, 0, 1, 2, ...
 * @example
 * const ranked = rankedResampler(scores, labels, prompts);
 * clusterBootstrap(promptCount, (multiplicity) => aucOfRanked(ranked(multiplicity)).value, { random });
 */
export function rankedResampler(
  scores: Numbers,
  labels: Numbers,
  clusters: Numbers,
): (multiplicity: Float64Array) => RankedScores {
  checkScoresAndLabels(scores, labels);
  const order = Uint32Array.from({ length: scores.length }, (_, i) => i).sort((a, b) => scores[a] - scores[b]);
  const values = new Float64Array(order.length);
  const counts = new Float64Array(order.length);
  const positiveCounts = new Float64Array(order.length);
  return (multiplicity) => {
    let groups = 0;
    let n = 0;
    let positives = 0;
    for (let start = 0; start < order.length; ) {
      const score = scores[order[start]];
      let count = 0;
      let positive = 0;
      let end = start;
      for (; end < order.length && scores[order[end]] === score; end++) {
        const weight = multiplicity[clusters[order[end]]];
        count += weight;
        if (labels[order[end]] === 1) positive += weight;
      }
      if (count > 0) {
        values[groups] = score;
        counts[groups] = count;
        positiveCounts[groups] = positive;
        groups++;
        n += count;
        positives += positive;
      }
      start = end;
    }
    return {
      n,
      positives,
      values: values.subarray(0, groups),
      counts: counts.subarray(0, groups),
      positiveCounts: positiveCounts.subarray(0, groups),
    };
  };
}
