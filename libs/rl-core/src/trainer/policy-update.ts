import {
  type AdamW,
  type Decoder,
  lossAndGradients,
  packSequences,
  type Sequence,
  type SequenceBatch,
  tf,
  tokenLogprob,
} from '@capo/model';
import { forkingTokens, topTokens } from '../advantages/simko.js';
import { type Aggregation, aggregationOf } from '../objectives/aggregation.js';
import { type ClipRange, clipFraction, clippedLoss, tokenRatio } from '../objectives/clipped.js';
import { type KlOptions, klTerms } from '../objectives/kl.js';
import { sequenceRatio } from '../objectives/sequence-ratio.js';
import { simkoRatio } from '../objectives/simko-ratio.js';

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
export function updatePolicy(
  decoder: Decoder,
  optimizer: AdamW,
  minibatch: Minibatch,
  learningRate: number,
  objective: Objective,
  temperature: number,
): UpdateReport {
  const { sequences, excluded } = minibatch;
  const included = [...sequences.keys()].filter((i) => !excluded?.[i]);
  const active = included.filter(
    (i) => (minibatch.advantages[i] !== 0 || objective.kl !== 'none') && sequences[i].response.length > 0,
  );
  if (active.length === 0) return { loss: 0, gradientNorm: 0, clipFraction: 0 };
  const lengths = included.map((i) => sequences[i].response.length);
  const { divisor, weightOfResponse } = aggregationOf(objective.aggregation, lengths, objective.constantLength);
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  const batch = packSequences(active.map((i) => sequences[i]));
  const old = rowsOf(batch, active, minibatch.oldLogprobs);
  const reference = objective.kl === 'none' ? null : rowsOf(batch, active, minibatch.referenceLogprobs ?? []);
  const advantage = Float32Array.from(batch.sequences, (sequence) => minibatch.advantages[active[sequence]]);
  const placeOf = new Map(included.map((i, place) => [i, place]));
  const weight =
    weightOfResponse &&
    Float32Array.from(batch.sequences, (sequence) => weightOfResponse[placeOf.get(active[sequence]) as number]);
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
    if (objective.simko) {
      const fork = rowsOf(
        batch,
        active,
        sequences.map((_, i) => forkingTokens(minibatch.entropies?.[i] ?? [], objective.simko?.forkQuantile ?? 1)),
      );
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
  const gradientNorm = optimizer.update(gradients, learningRate);
  const bound = clipFraction(ratios, advantage, objective);
  return {
    loss,
    gradientNorm,
    clipFraction: (bound * batch.targets.length) / tokens,
    ...(kl !== undefined && { kl }),
  };
}

/** Numbers per token of the active responses, one row per token of the batch. */
function rowsOf(batch: SequenceBatch, active: readonly number[], values: readonly ArrayLike<number>[]): Float32Array {
  const rows = new Float32Array(batch.targets.length);
  let next = 0;
  for (const i of active) {
    rows.set(values[i], next);
    next += values[i].length;
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
