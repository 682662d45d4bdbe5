import type { RankedScores } from './ranked-scores.js';

/**
 * The ranked scores of two sets of answers together, in one pass over both: what `rankScores` would give for all of them.
 * Scores that arrive in parts, from a stream or from several files, can so be ranked part by part.
 */
export function mergeRanked(first: RankedScores, second: RankedScores): RankedScores {
  const most = first.values.length + second.values.length;
  const values = new Float64Array(most);
  const counts = new Float64Array(most);
  const positiveCounts = new Float64Array(most);
  let groups = 0;
  let a = 0;
  let b = 0;
  while (a < first.values.length || b < second.values.length) {
    const fromFirst = b >= second.values.length || first.values[a] <= second.values[b];
    const fromSecond = a >= first.values.length || second.values[b] <= first.values[a];
    values[groups] = fromFirst ? first.values[a] : second.values[b];
    if (fromFirst) {
      counts[groups] += first.counts[a];
      positiveCounts[groups] += first.positiveCounts[a++];
    }
    if (fromSecond) {
      counts[groups] += second.counts[b];
      positiveCounts[groups] += second.positiveCounts[b++];
    }
    groups++;
  }
  return {
    n: first.n + second.n,
    positives: first.positives + second.positives,
    values: values.subarray(0, groups),
    counts: counts.subarray(0, groups),
    positiveCounts: positiveCounts.subarray(0, groups),
  };
}
