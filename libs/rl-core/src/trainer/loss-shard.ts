import {
  type Decoder,
  lossAndGradients,
  packSequences,
  type Sequence,
  type SequenceBatch,
  tf,
  tokenLogprob,
} from '@capo/model';
import { topTokens } from '../advantages/simko.js';
import type { Aggregation } from '../objectives/aggregation.js';
import { type ClipRange, clipFraction, clippedLoss, tokenRatio } from '../objectives/clipped.js';
import { type KlOptions, klTerms } from '../objectives/kl.js';
import { sequenceRatio } from '../objectives/sequence-ratio.js';
import { simkoRatio } from '../objectives/simko-ratio.js';

/** SimKO's treatment of forking tokens; see docs/methods/simko.md. */
export interface SimkoOptions {
  forkQuantile: number;
  topK: number;
  shared: number;
  topPenalty: number;
  penaltyAt: 'forking' | 'all';
}

/** The objective of an update. */
export interface Objective extends ClipRange {
  aggregation: Aggregation;
  /** Tokens; what `constant-length` divides by. */
  constantLength: number;
  ratio: 'token' | 'sequence';
  kl: 'none' | KlOptions;
  simko?: SimkoOptions | null;
}

/** Some sequences of a minibatch with all that their share of its loss needs. Plain data; one entry per sequence. */
export interface LossShard {
  sequences: readonly Sequence[];
  oldLogprobs: readonly ArrayLike<number>[];
  referenceLogprobs: readonly ArrayLike<number>[] | null;
  advantages: ArrayLike<number>;
  /** What each token of the sequence counts in the sum; null when all tokens count alike. */
  weights: ArrayLike<number> | null;
  /** 1 at SimKO's forking tokens; null for other methods. */
  forks: readonly ArrayLike<number>[] | null;
  /** What the sum of the whole minibatch is divided by, so that the losses of its shards add up. */
  divisor: number;
  objective: Objective;
  temperature: number;
}

/** The share of a shard in the loss of its minibatch and in the gradient, and what it says of its tokens. */
export interface ShardLoss {
  loss: number;
  tokens: number;
  /** Over the shard's tokens. */
  clipFraction: number;
  /** Mean over the shard's tokens of the KL estimate; absent without a KL term. */
  kl?: number;
}

/**
 * Evaluates the share of a shard. The policy is scored at the temperature that it was sampled at, so that the ratio is
 * 1 before the first update.
 *
 * @returns the gradients with respect to what the decoder trains, to be disposed by the caller
 */
export function shardGradients(
  decoder: Decoder,
  shard: LossShard,
): { report: ShardLoss; gradients: Map<string, tf.Tensor> } {
  const { objective, temperature, divisor } = shard;
  const batch = packSequences(shard.sequences);
  const old = rowsOf(batch, shard.oldLogprobs);
  const reference = shard.referenceLogprobs && rowsOf(batch, shard.referenceLogprobs);
  const advantage = Float32Array.from(batch.sequences, (sequence) => shard.advantages[sequence]);
  const weights = shard.weights;
  const weight = weights && Float32Array.from(batch.sequences, (sequence) => weights[sequence]);
  let ratios: ArrayLike<number> = [];
  let kl: number | undefined;
  const { loss, gradients } = lossAndGradients(decoder.trainable, () => {
    const logits = decoder.logits(decoder.hidden(batch.tokens, batch.starts, batch.rows));
    const scored = (targets: Int32Array) => tokenLogprob(logits, tf.tensor1d(targets, 'int32'), temperature).logprob;
    const logprob = scored(batch.targets);
    const oldLogprob = tf.tensor1d(old);
    const ownRatio = tokenRatio(logprob, oldLogprob);
    let ratio =
      objective.ratio === 'token'
        ? ownRatio
        : sequenceRatio(logprob, oldLogprob, { sequences: batch.sequences, lengths: batch.responseLengths });
    if (objective.simko && shard.forks) {
      const fork = rowsOf(batch, shard.forks);
      ratio = shareWithTop(ratio, logits, batch, advantage, fork, objective.simko, scored);
    }
    ratios = ratio.dataSync().slice();
    const rows = { ratio, advantage: tf.tensor1d(advantage), weight: weight && tf.tensor1d(weight) };
    const policyLoss = clippedLoss(rows, objective, divisor);
    if (objective.kl === 'none' || !reference) return policyLoss;
    const terms = klTerms(logprob, tf.tensor1d(reference), ownRatio, objective.kl);
    kl = terms.mean().dataSync()[0];
    const weighted = rows.weight ? terms.mul(rows.weight) : terms;
    return policyLoss.add(weighted.sum().mul(objective.kl.coefficient / divisor)) as tf.Scalar;
  });
  const bound = clipFraction(ratios, advantage, objective);
  const report = { loss, tokens: batch.targets.length, clipFraction: bound, ...(kl !== undefined && { kl }) };
  return { report, gradients };
}

/** Numbers per token of the sequences, one row per token of the batch. */
function rowsOf(batch: SequenceBatch, values: readonly ArrayLike<number>[]): Float32Array {
  const rows = new Float32Array(batch.targets.length);
  let next = 0;
  for (const row of values) {
    rows.set(row, next);
    next += row.length;
  }
  return rows;
}

/**
 * SimKO at each row: shares the gradient of forking tokens of right responses with the most probable tokens, and raises
 * the advantage (in place) where a wrong response took the most probable one. The most probable tokens are those of the
 * policy as it stands.
 */
function shareWithTop(
  ratio: tf.Tensor1D,
  logits: tf.Tensor2D,
  batch: SequenceBatch,
  advantage: Float32Array,
  fork: Float32Array,
  options: SimkoOptions,
  scored: (targets: Int32Array) => tf.Tensor1D,
): tf.Tensor1D {
  const [rows, vocab] = logits.shape;
  const count = Math.min(options.topK, vocab);
  const top = topTokens(logits.dataSync(), rows, vocab, count);
  const shared = Float32Array.from(advantage, (a, row) => (a > 0 && fork[row] ? options.shared : 0));
  for (let row = 0; row < rows; row++) {
    const punished = advantage[row] < 0 && (options.penaltyAt === 'all' || fork[row] === 1);
    if (punished && top[row * count] === batch.targets[row]) advantage[row] *= options.topPenalty;
  }
  const topLogprobs = Array.from({ length: count }, (_, k) =>
    scored(Int32Array.from({ length: rows }, (_, row) => top[row * count + k])),
  );
  return simkoRatio(ratio, topLogprobs, shared);
}
