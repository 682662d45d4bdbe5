import { type AdamW, type Decoder, lossAndGradients, packSequences, type Sequence, scoreBatch, tf } from '@capo/model';
import { clipFraction, clippedLoss } from '../objectives/clipped.js';

/** One minibatch: sequences with their old log-probabilities and advantages. */
export interface Minibatch {
  sequences: readonly Sequence[];
  oldLogprobs: readonly ArrayLike<number>[];
  advantages: ArrayLike<number>;
}

/** What one update did. */
export interface UpdateReport {
  loss: number;
  /** Before clipping of its length. NaN or infinite means that nothing was changed. */
  gradientNorm: number;
  clipFraction: number;
}

/**
 * One step of the clipped objective on a minibatch. The policy is scored at the temperature that it was sampled at, so
 * that the ratio is 1 before the first update. Responses with advantage 0 (masked, or of a group without signal)
 * have no gradient, so their forward pass is left out; they stay in the denominator. A minibatch without any signal
 * changes nothing: a zero update, not a NaN.
 */
export function updatePolicy(
  decoder: Decoder,
  optimizer: AdamW,
  minibatch: Minibatch,
  learningRate: number,
  clipRatio: number,
  temperature: number,
): UpdateReport {
  const tokens = minibatch.sequences.reduce((sum, { response }) => sum + response.length, 0);
  const active = [...minibatch.sequences.keys()].filter(
    (i) => minibatch.advantages[i] !== 0 && minibatch.sequences[i].response.length > 0,
  );
  if (active.length === 0) return { loss: 0, gradientNorm: 0, clipFraction: 0 };
  const batch = packSequences(active.map((i) => minibatch.sequences[i]));
  const old = new Float32Array(batch.targets.length);
  let next = 0;
  for (const i of active) {
    old.set(minibatch.oldLogprobs[i], next);
    next += minibatch.oldLogprobs[i].length;
  }
  const advantage = Float32Array.from(batch.sequences, (sequence) => minibatch.advantages[active[sequence]]);
  let logprobs: ArrayLike<number> = [];
  const { loss, gradients } = lossAndGradients(decoder.parameters, () => {
    const { logprob } = scoreBatch(decoder, batch, temperature);
    logprobs = logprob.dataSync().slice();
    return clippedLoss({ logprob, oldLogprob: tf.tensor1d(old), advantage: tf.tensor1d(advantage) }, clipRatio, tokens);
  });
  const gradientNorm = optimizer.update(gradients, learningRate);
  const bound = clipFraction(logprobs, old, advantage, clipRatio);
  return { loss, gradientNorm, clipFraction: (bound * batch.targets.length) / tokens };
}
