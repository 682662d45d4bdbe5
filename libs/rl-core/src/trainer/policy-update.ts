import type { AdamW, Sequence } from '@capo/model';
import { forkingTokens } from '../advantages/simko.js';
import { aggregationOf } from '../objectives/aggregation.js';
import type { Compute } from '../parallel/compute.js';
import { tokenShards } from '../parallel/shards.js';
import type { LossShard, Objective } from './loss-shard.js';

/** One minibatch: sequences with their old log-probabilities and advantages. */
export interface Minibatch {
  sequences: readonly Sequence[];
  oldLogprobs: readonly ArrayLike<number>[];
  advantages: ArrayLike<number>;
  /** 1 for responses that are out of the loss, numerator and denominator; null or absent when all are in. */
  excluded?: ArrayLike<number> | null;
  /** Log-probabilities under the reference model, for a KL term. */
  referenceLogprobs?: readonly ArrayLike<number>[] | null;
  /** Entropies of the distributions that the tokens were drawn from, for SimKO. */
  entropies?: readonly ArrayLike<number>[];
}

/** What one update did. */
export interface UpdateReport {
  loss: number;
  /** Before clipping of its length. NaN or infinite means that nothing was changed. */
  gradientNorm: number;
  clipFraction: number;
  /** Mean over tokens of the KL estimate, before its coefficient; absent without a KL term. */
  kl?: number;
}

/**
 * One step of an objective on a minibatch. The policy is scored at the temperature that it was sampled at, so that the
 * ratio is 1 before the first update. Responses without gradient (advantage 0 and no KL term) have no forward pass; they
 * stay in the denominator unless they are excluded. A minibatch without any signal changes nothing: a zero update, not
 * a NaN.
 */
export async function updatePolicy(
  compute: Compute,
  optimizer: AdamW,
  minibatch: Minibatch,
  learningRate: number,
  objective: Objective,
  temperature: number,
): Promise<UpdateReport> {
  const { sequences, excluded } = minibatch;
  const included = [...sequences.keys()].filter((i) => !excluded?.[i]);
  const active = included.filter(
    (i) => (minibatch.advantages[i] !== 0 || objective.kl !== 'none') && sequences[i].response.length > 0,
  );
  if (active.length === 0) return { loss: 0, gradientNorm: 0, clipFraction: 0 };
  const shards = lossShards(minibatch, included, active, objective, temperature);
  const { reports, gradients } = await compute.gradients(shards);
  const gradientNorm = optimizer.update(gradients, learningRate);
  compute.weightsChanged();
  const tokens = included.reduce((sum, i) => sum + sequences[i].response.length, 0);
  const sumOf = (value: (report: (typeof reports)[number]) => number) => reports.reduce((sum, r) => sum + value(r), 0);
  const clipped = sumOf((report) => report.clipFraction * report.tokens);
  const kl = sumOf((report) => (report.kl ?? 0) * report.tokens) / sumOf((report) => report.tokens);
  return {
    loss: sumOf(({ loss }) => loss),
    gradientNorm,
    clipFraction: clipped / tokens,
    ...(objective.kl !== 'none' && { kl }),
  };
}

/** The active responses of a minibatch, cut into shards whose losses add up to that of the whole. */
function lossShards(
  minibatch: Minibatch,
  included: readonly number[],
  active: readonly number[],
  objective: Objective,
  temperature: number,
): LossShard[] {
  const { sequences } = minibatch;
  const lengths = included.map((i) => sequences[i].response.length);
  const { divisor, weightOfResponse } = aggregationOf(objective.aggregation, lengths, objective.constantLength);
  const placeOf = new Map(included.map((i, place) => [i, place]));
  const shards = tokenShards(active.map((i) => sequences[i].prompt.length + sequences[i].response.length));
  return shards.map(([start, end]) => {
    const own = active.slice(start, end);
    const rows = (values: readonly ArrayLike<number>[] | null | undefined) => own.map((i) => values?.[i] ?? []);
    return {
      sequences: own.map((i) => sequences[i]),
      oldLogprobs: rows(minibatch.oldLogprobs),
      referenceLogprobs: objective.kl === 'none' ? null : rows(minibatch.referenceLogprobs),
      advantages: own.map((i) => minibatch.advantages[i]),
      weights: weightOfResponse && own.map((i) => weightOfResponse[placeOf.get(i) as number]),
      forks: objective.simko
        ? rows(minibatch.entropies).map((row) => forkingTokens(row, objective.simko?.forkQuantile ?? 1))
        : null,
      divisor,
      objective,
      temperature,
    };
  });
}
