import { baseModelSchema, type TrainConfig, trainSchema } from '@capo/rl-core';
import { z } from 'zod';

/** The methods that the toy scale trains, by the name that tables show. */
export const TOY_METHODS = {
  grpo: { name: 'grpo' },
  capo: { name: 'capo' },
  /** CAPO's ablation without the noise mask. */
  'capo-no-mask': { name: 'capo', mask: 'none' },
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
