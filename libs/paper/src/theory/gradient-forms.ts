import { tf } from '@capo/model';
import { aggregationOf, capoAdvantages, clippedLoss, drGrpoAdvantages, sequenceRatio, tokenRatio } from '@capo/rl-core';
import { type RandomStream, stream } from '@capo/samples';
import { scientific, type TheoryPart } from './claim.js';

const VOCABULARY = 7;
const TAU = 0.6;
/** The claims are stated to this, absolute, in float32. */
const TOLERANCE = 1e-6;

/** Random responses of a policy that is a table of logits: token after token. */
interface RandomGroup {
  logits: tf.Tensor2D;
  /** The row of logits of each token (the token before it), and the token. */
  contexts: Int32Array;
  targets: Int32Array;
  /** For each token, the index of its response. */
  sequences: Int32Array;
  lengths: Int32Array;
  rewards: Float64Array;
}

function randomGroup(random: RandomStream): RandomGroup {
  const size = 2 + random.integer(7);
  const lengths = Int32Array.from({ length: size }, () => 1 + random.integer(6));
  const sequences = Int32Array.from([...lengths].flatMap((length, i) => Array<number>(length).fill(i)));
  const token = () => random.integer(VOCABULARY);
  // Right and wrong both occur, else every gradient is 0 and nothing is checked.
  const rewards = Float64Array.from(lengths, (_, i) => (i < 2 ? i : random.integer(2)));
  return {
    logits: tf.tensor2d(
      Float32Array.from({ length: VOCABULARY ** 2 }, () => random.normal()),
      [VOCABULARY, VOCABULARY],
    ),
    contexts: Int32Array.from(sequences, token),
    targets: Int32Array.from(sequences, token),
    sequences,
    lengths,
    rewards,
  };
}

/** The log-probability of every token. [tokens] */
function tokenLogprobs({ contexts, targets }: RandomGroup, logits: tf.Tensor): tf.Tensor1D {
  const rows = tf
    .oneHot(tf.tensor1d(contexts, 'int32'), VOCABULARY)
    .toFloat()
    .matMul(logits as tf.Tensor2D);
  const chosen = tf.oneHot(tf.tensor1d(targets, 'int32'), VOCABULARY).toFloat();
  return tf.logSoftmax(rows).mul(chosen).sum(1) as tf.Tensor1D;
}

/** The length-normalised log-probability of every response. [responses] */
function lpmOf(group: RandomGroup, logits: tf.Tensor): tf.Tensor1D {
  const { sequences, lengths } = group;
  const mean = Float32Array.from({ length: lengths.length * sequences.length }, (_, k) => {
    const [response, token] = [Math.floor(k / sequences.length), k % sequences.length];
    return sequences[token] === response ? 1 / lengths[response] : 0;
  });
  return tf
    .tensor2d(mean, [lengths.length, sequences.length])
    .matMul(tokenLogprobs(group, logits).expandDims(1))
    .squeeze([1]);
}

/** A surrogate summed over the pairs of a right and a wrong response. */
function pairSurrogate(group: RandomGroup, logits: tf.Tensor, phi: (t: tf.Tensor) => tf.Tensor): tf.Scalar {
  const lpm = lpmOf(group, logits);
  const pairs = Float32Array.from({ length: group.rewards.length ** 2 }, (_, k) => {
    const [i, j] = [Math.floor(k / group.rewards.length), k % group.rewards.length];
    return group.rewards[i] === 1 && group.rewards[j] === 0 ? 1 : 0;
  });
  const differences = lpm.expandDims(1).sub(lpm.expandDims(0));
  const size = group.rewards.length;
  return phi(differences)
    .mul(tf.tensor2d(pairs, [size, size]))
    .sum() as tf.Scalar;
}

/** The clipped objective of the library at ratio 1, with the mean over tokens of a response, then over responses. */
function objective(group: RandomGroup, logits: tf.Tensor, advantages: ArrayLike<number>, level: 'token' | 'sequence') {
  const { sequences, lengths } = group;
  const logprob = tokenLogprobs(group, logits);
  const old = tf.tensor1d(tokenLogprobs(group, group.logits).dataSync().slice());
  const { divisor, weightOfResponse } = aggregationOf('sequence-mean', lengths, 1);
  const perToken = (values: ArrayLike<number>) => tf.tensor1d(Float32Array.from(sequences, (s) => values[s]));
  const ratio = level === 'token' ? tokenRatio(logprob, old) : sequenceRatio(logprob, old, { sequences, lengths });
  const rows = { ratio, advantage: perToken(advantages), weight: perToken(weightOfResponse ?? []) };
  return clippedLoss(rows, { clipLow: 0.2, clipHigh: 0.2 }, divisor);
}

const linear = (t: tf.Tensor) => t.neg();
const logistic = (t: tf.Tensor) => tf.softplus(t.div(-TAU));

/** The largest difference of two gradients with respect to the logits, the first times a factor. */
function gradientGap(
  group: RandomGroup,
  loss: (logits: tf.Tensor) => tf.Scalar,
  surrogate: (logits: tf.Tensor) => tf.Scalar,
  factor: number,
): number {
  return tf.tidy(() => {
    const [a, b] = [loss, surrogate].map((f) => tf.grad(f)(group.logits));
    return a.mul(factor).sub(b).abs().max().dataSync()[0];
  });
}

/**
 * Claim 1: the gradient of the clipped objective before the first update, with the advantage R_i - mean R, is that of the
 * linear surrogate phi(t) = -t of the pairs of a right and a wrong response, up to a constant: with the pairs' sum S,
 * `G^2 dL_GRPO = dS` in a group of G, since a right response meets W wrong ones and `R_i - mean R = W / G`. So too with
 * GSPO's ratio. CAPO's advantage gives the gradient of the logistic surrogate in the same way. Both sides by automatic
 * differentiation, on groups of random responses of a random policy.
 */
export function gradientForms(groups: number, seed: number): TheoryPart {
  const worst = { grpo: 0, gspo: 0, capo: 0 };
  for (let g = 0; g < groups; g++) {
    tf.tidy(() => {
      const group = randomGroup(stream(seed, 'gradient-forms', g));
      const size = group.rewards.length;
      const centred = drGrpoAdvantages(group.rewards);
      const lpm = lpmOf(group, group.logits).dataSync();
      const capo = capoAdvantages(group.rewards, lpm, { tau: TAU, pairScale: 'none', tauFactor: true });
      const gap = (advantages: ArrayLike<number>, level: 'token' | 'sequence', phi: typeof linear, factor: number) =>
        gradientGap(
          group,
          (logits) => objective(group, logits, advantages, level),
          (logits) => pairSurrogate(group, logits, phi),
          factor,
        ) / factor;
      worst.grpo = Math.max(worst.grpo, gap(centred, 'token', linear, size ** 2));
      worst.gspo = Math.max(worst.gspo, gap(centred, 'sequence', linear, size ** 2));
      worst.capo = Math.max(worst.capo, gap(capo, 'token', logistic, size));
    });
  }
  const claim = (id: string, statement: string, gap: number) => ({
    id,
    statement,
    measured: `largest difference ${scientific(gap)} in ${groups} random groups`,
    holds: gap < TOLERANCE,
  });
  return {
    claims: [
      claim('1a', 'The gradient of GRPO without std is that of the linear surrogate', worst.grpo),
      claim('1b', 'So is that of GSPO', worst.gspo),
      claim('1c', 'The gradient of CAPO is that of the logistic surrogate', worst.capo),
    ],
    tables: [],
  };
}
