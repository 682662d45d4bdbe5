import { baseModelSchema, type TrainConfig, trainSchema } from '@capo/rl-core';
import { z } from 'zod';

/**
 * The methods that the toy scale trains, by the name that tables show. tau is 0.2 where the paper has 0.6, because the
 * toy model's log-probabilities lie closer together; docs/log.md records how it was chosen.
 */
export const TOY_METHODS = {
  grpo: { name: 'grpo' },
  'dr-grpo': { name: 'dr-grpo' },
  rloo: { name: 'rloo' },
  /** The toy task's longest solutions reach the length limit by design, so that long replies are not punished. */
  dapo: { name: 'dapo', truncated: 'keep' },
  gspo: { name: 'gspo' },
  codapo: { name: 'codapo' },
  cde: { name: 'cde' },
  simko: { name: 'simko' },
  capo: { name: 'capo', tau: 0.2, mask: 'base-fences' },
  /** Ablation: without the noise mask. */
  'capo-no-mask': { name: 'capo', tau: 0.2, mask: 'none' },
  /** Ablation: the mask that drops a quarter of the base model's right and wrong samples. */
  'capo-quartile-mask': { name: 'capo', tau: 0.2, mask: 'base-quartiles' },
  /** Ablation: the paper's own tau. */
  'capo-tau-0.6': { name: 'capo', tau: 0.6, mask: 'base-fences' },
  /** Ablation: tighter thresholds, the base model's 10 % and 90 % quantiles. */
  'capo-decile-mask': { name: 'capo', tau: 0.2, mask: { lowQuantile: 0.1, highQuantile: 0.9 } },
  /** Ablations: other surrogates of the order of a pair. */
  'capo-linear': { name: 'capo', tau: 0.2, mask: 'base-fences', surrogate: 'linear' },
  'capo-hinge': { name: 'capo', tau: 0.2, mask: 'base-fences', surrogate: 'hinge' },
  'capo-exponential': { name: 'capo', tau: 0.2, mask: 'base-fences', surrogate: 'exponential' },
  /** Ablation: the noise mask alone. */
  'grpo-mask': { name: 'grpo', mask: 'base-fences' },
} as const;
export type ToyMethod = keyof typeof TOY_METHODS;

/** What `--config` may change of the toy protocol; everything left out is the protocol of docs/reproduction.md. */
export const toyProtocolSchema = z.strictObject({
  base: baseModelSchema.prefault({}),
  /** Of every method's training run. */
  train: trainSchema.omit({ base: true, method: true }).partial().prefault({}),
});
export type ToyProtocol = z.infer<typeof toyProtocolSchema>;

/** The configuration of one method's training run under a protocol. */
export function trainConfigOf(protocol: ToyProtocol, method: ToyMethod): TrainConfig {
  return trainSchema.parse({ ...protocol.train, base: protocol.base, method: TOY_METHODS[method] });
}
