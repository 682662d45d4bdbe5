import { checkScoresAndLabels, type Numbers } from './checks.js';
import { defined, type Estimate, undefinedBecause } from './estimate.js';
import { groupIndices } from './groups.js';

/**
 * Mean accuracy over draws and prompts ("mean@k", "avg@k"): the mean over prompts of the share of a prompt's draws that
 * are correct, so that every prompt counts the same even when some have fewer draws. The denominator is the number of
 * draws that are there. Null without draws.
 *
 * @param labels 1: the draw is correct, 0: it is not
 * @param prompts the prompt of each draw, as an integer id
 */
export function meanAtK(labels: Numbers, prompts: Numbers): Estimate {
  checkScoresAndLabels(new Float64Array(labels.length), labels);
  const groups = groupIndices(prompts, labels.length);
  if (groups.length === 0) return undefinedBecause('there are no answers');
  let sum = 0;
  for (const indices of groups) sum += indices.reduce((total, i) => total + labels[i], 0) / indices.length;
  return defined(sum / groups.length);
}
