import { quantile } from '@capo/calibration-metrics';
import type { Decoder } from '@capo/model';
import { InputError, stream } from '@capo/samples';
import type { NoiseMaskThresholds } from '../advantages/noise-mask.js';
import { maskOf } from '../methods/batch-advantages.js';
import type { MaskOption, Method } from '../methods/method-schema.js';
import type { TrainingTask } from '../tasks/task.js';
import { meanOf, rollOut } from './rollout.js';

/** Draws per prompt of the training pool that the quartiles are taken from. */
const DRAWS = 4;
/** The most prompts that are drawn for: quartiles need no more. */
const MAX_PROMPTS = 2000;

/** The ways in which thresholds are taken from the base model. */
type BaseThresholds = Exclude<MaskOption, 'none' | { low: number; high: number }>;

/**
 * The noise mask's thresholds from quartiles of the base model's perplexity on its own samples of the training pool,
 * right responses (for `high`) and wrong ones (for `low`). The paper says that its thresholds come from these
 * quartiles, not how; both readings are here:
 *
 * - `base-quartiles`: high = Q3 of the right, low = Q1 of the wrong. A quarter of each lies beyond.
 * - `base-fences`: high = Q3 + 1.5 (Q3 - Q1) of the right, low = Q1 - 1.5 (Q3 - Q1) of the wrong (Tukey 1977): outliers
 *   only. The paper's 2.5 and 1.05 lie as far out for its models.
 * - `{ lowQuantile, highQuantile }`: low = that quantile of the wrong, high = that quantile of the right.
 *
 * @throws InputError when the base model is never right or never wrong there
 */
async function baseThresholds(
  kind: BaseThresholds,
  base: Decoder,
  task: TrainingTask,
  seed: number,
): Promise<NoiseMaskThresholds> {
  const rollout = await rollOut(base, task, task.trainingPool.slice(0, MAX_PROMPTS), {
    draws: DRAWS,
    temperature: 1,
    randomOf: (problem, draw) => stream(seed, 'thresholds', problem.id, draw),
  });
  const perplexity = rollout.lpm.map((lpm) => Math.exp(-lpm));
  const of = (reward: number) => perplexity.filter((_, i) => rollout.rewards[i] === reward).sort();
  const [right, wrong] = [of(1), of(0)];
  if (right.length === 0 || wrong.length === 0) {
    throw new InputError(
      `The base model is ${right.length === 0 ? 'never right' : 'never wrong'} on the training pool, so the noise mask has no quartiles.`,
      'State the thresholds: mask: { low, high }, or mask: "none".',
    );
  }
  if (typeof kind === 'object') {
    return { high: quantile(right, kind.highQuantile), low: quantile(wrong, kind.lowQuantile) };
  }
  const reach = kind === 'base-fences' ? 1.5 : 0;
  const spread = (values: Float64Array) => quantile(values, 0.75) - quantile(values, 0.25);
  return {
    high: quantile(right, 0.75) + reach * spread(right),
    low: quantile(wrong, 0.25) - reach * spread(wrong),
  };
}

/** exp(-lpm) of each response under the model that gave the log-probabilities; NaN for one without tokens. */
export function perplexities(logprobs: readonly ArrayLike<number>[]): Float64Array {
  return Float64Array.from(logprobs, (row) => Math.exp(-meanOf(row)));
}

/** The thresholds of a method's noise mask, from the reference's own samples where it says so; null without a mask. */
export async function maskThresholds(
  method: Method,
  reference: Decoder,
  task: TrainingTask,
  seed: number,
): Promise<NoiseMaskThresholds | null> {
  const mask = maskOf(method);
  if (mask === 'none') return null;
  return typeof mask === 'object' && 'low' in mask ? mask : baseThresholds(mask, reference, task, seed);
}
