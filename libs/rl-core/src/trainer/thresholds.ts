import { quantile } from '@capo/calibration-metrics';
import { type Decoder, scoreSequences } from '@capo/model';
import { InputError, stream } from '@capo/samples';
import type { NoiseMaskThresholds } from '../advantages/noise-mask.js';
import type { TrainingTask } from '../tasks/task.js';
import { meanOf, type Rollout, rollOut, sequencesOf } from './rollout.js';

/** Draws per prompt of the training pool that the quartiles are taken from. */
const DRAWS = 4;

/**
 * The noise mask's thresholds from the base model's own samples on the training pool: the third quartile of its
 * perplexity on right responses (high) and the first on wrong ones (low), as the paper sets them for its models.
 *
 * @throws InputError when the base model is never right or never wrong there
 */
export async function baseQuartiles(base: Decoder, task: TrainingTask, seed: number): Promise<NoiseMaskThresholds> {
  const rollout = await rollOut(base, task, task.trainingPool, {
    draws: DRAWS,
    temperature: 1,
    randomOf: (problem, draw) => stream(seed, 'thresholds', problem.id, draw),
  });
  const perplexities = Float64Array.from(rollout.lpm, (lpm) => Math.exp(-lpm));
  const of = (reward: number) => perplexities.filter((_, i) => rollout.rewards[i] === reward).sort();
  const [right, wrong] = [of(1), of(0)];
  if (right.length === 0 || wrong.length === 0) {
    throw new InputError(
      `The base model is ${right.length === 0 ? 'never right' : 'never wrong'} on the training pool, so the noise mask has no quartiles.`,
      'State the thresholds: mask: { low, high }, or mask: "none".',
    );
  }
  return { high: quantile(right, 0.75), low: quantile(wrong, 0.25) };
}

/** exp(-lpm) of each response of a rollout under the reference model; NaN for one without tokens. */
export function referencePerplexity(reference: Decoder, rollout: Rollout): Float64Array {
  const scored = scoreSequences(reference, sequencesOf(rollout));
  return Float64Array.from(scored, (logprobs) => Math.exp(-meanOf(logprobs)));
}
