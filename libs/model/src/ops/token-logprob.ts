import { tf } from '../backend/tf.js';
import { fusedOperation, wasmActive } from '../backend/wasm-kernels.js';

const backward = fusedOperation({
  name: 'TokenLogprobGradient',
  forward: ({ logits, targets, lse, dy }, { inverseTemperature }, { kernels, pointer, allocate }) => {
    const [rows, vocab] = logits.shape;
    const dlogits = allocate(logits.shape);
    const inputs = [pointer(logits), pointer(targets), pointer(lse), pointer(dy)];
    kernels.tokenLogprobBackward(...inputs, pointer(dlogits), rows, vocab, inverseTemperature);
    return [dlogits];
  },
});

const forward = fusedOperation({
  name: 'TokenLogprob',
  forward: ({ logits, targets }, { inverseTemperature }, { kernels, pointer, allocate }) => {
    const [rows, vocab] = logits.shape;
    const outputs = [allocate([rows]), allocate([rows]), allocate([rows])];
    const inputs = [pointer(logits), pointer(targets)];
    kernels.tokenLogprobForward(...inputs, ...outputs.map(pointer), rows, vocab, inverseTemperature);
    return outputs;
  },
  gradient: {
    inputsToSave: ['logits', 'targets'],
    outputsToSave: [false, false, true],
    gradFunc: (dy, [logits, targets, lse], attributes) => {
      const { inverseTemperature } = attributes as unknown as Record<string, number>;
      const inputs = { logits, targets, lse, dy: (dy as tf.Tensor[])[0] };
      return { logits: () => backward(inputs, { inverseTemperature })[0] };
    },
  },
});

/** Log-probabilities of tokens and the entropies of the distributions they came from, in nats; both [rows]. */
export interface TokenLogprobs {
  logprob: tf.Tensor1D;
  /** For the log; no gradient flows through it. */
  entropy: tf.Tensor1D;
}

/**
 * The log-probability of one token per row under `softmax(logits / temperature)`.
 *
 * @param logits [rows, vocab]
 * @param targets int32 [rows]
 */
export function tokenLogprob(logits: tf.Tensor2D, targets: tf.Tensor1D, temperature = 1): TokenLogprobs {
  if (wasmActive()) {
    return tf.tidy(() => {
      const [logprob, entropy] = forward({ logits, targets }, { inverseTemperature: 1 / temperature });
      return { logprob, entropy } as TokenLogprobs & tf.TensorContainerObject;
    });
  }
  return tf.tidy(() => {
    const all = tf.logSoftmax(logits.mul(1 / temperature)) as tf.Tensor2D;
    const logprob = all.mul(tf.oneHot(targets, logits.shape[1])).sum(1);
    const entropy = all.exp().mul(all).sum(1).neg();
    return { logprob, entropy } as TokenLogprobs & tf.TensorContainerObject;
  });
}
