import { checkProbabilities, checkScoresAndLabels, type Numbers } from './checks.js';
import type { ClusterStatistic } from './cluster-bootstrap.js';
import { binOf } from './reliability-bins.js';

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
 * The pooled AUC, ties counting one half, of items that come in clusters. Sorts once; a resample costs one pass.
 *
 * @param clusters the cluster of each item, 0, 1, 2, ...
 */
export function aucStatistic(scores: Numbers, labels: Numbers, clusters: Numbers): ClusterStatistic {
  checkScoresAndLabels(scores, labels);
  const order = Uint32Array.from({ length: scores.length }, (_, i) => i).sort((a, b) => scores[a] - scores[b]);
  return (multiplicity) => {
    let pairs = 0;
    let positives = 0;
    let negatives = 0;
    for (let start = 0; start < order.length; ) {
      const score = scores[order[start]];
      let tiedPositives = 0;
      let tiedNegatives = 0;
      let end = start;
      for (; end < order.length && scores[order[end]] === score; end++) {
        const weight = multiplicity[clusters[order[end]]];
        if (labels[order[end]] === 1) tiedPositives += weight;
        else tiedNegatives += weight;
      }
      pairs += tiedPositives * (negatives + tiedNegatives / 2);
      positives += tiedPositives;
      negatives += tiedNegatives;
      start = end;
    }
    return positives > 0 && negatives > 0 ? pairs / (positives * negatives) : null;
  };
}

/** The expected calibration error with bins of equal width, of items that come in clusters. */
export function calibrationErrorStatistic(
  confidences: Numbers,
  labels: Numbers,
  clusters: Numbers,
  binCount: number,
): ClusterStatistic {
  checkScoresAndLabels(confidences, labels);
  checkProbabilities(confidences);
  const bins = Uint32Array.from(confidences, (confidence) => binOf(confidence, binCount));
  return (multiplicity) => {
    const gaps = new Float64Array(binCount);
    let total = 0;
    for (let i = 0; i < bins.length; i++) {
      const weight = multiplicity[clusters[i]];
      gaps[bins[i]] += weight * (labels[i] - confidences[i]);
      total += weight;
    }
    return total > 0 ? gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / total : null;
  };
}
