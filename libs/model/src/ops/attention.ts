import { tf } from '../backend/tf.js';
import { fusedOperation, wasmActive } from '../backend/wasm-kernels.js';
import type { HeadLayout } from './rotary.js';

const backward = fusedOperation({
  name: 'CausalAttentionGradient',
  forward: ({ qkv, out, lse, dy }, { heads, kvHeads, headDim }, { kernels, pointer, allocate }) => {
    const [batch, , length] = lse.shape;
    const dqkv = allocate(qkv.shape);
    const inputs = [pointer(qkv), pointer(out), pointer(lse), pointer(dy)];
    kernels.attentionBackward(...inputs, pointer(dqkv), batch, length, heads, kvHeads, headDim);
    return [dqkv];
  },
});

const forward = fusedOperation({
  name: 'CausalAttention',
  forward: ({ qkv }, { length, heads, kvHeads, headDim }, { kernels, pointer, allocate, release }) => {
    const batch = qkv.shape[0] / length;
    const out = allocate([qkv.shape[0], heads * headDim]);
    const lse = allocate([batch, heads, length]);
    const scores = allocate([length]);
    const outputs = [pointer(out), pointer(lse), pointer(scores)];
    kernels.attentionForward(pointer(qkv), ...outputs, batch, length, heads, kvHeads, headDim);
    release(scores);
    return [out, lse];
  },
  gradient: {
    inputsToSave: ['qkv'],
    outputsToSave: [true, true],
    gradFunc: (dy, [qkv, out, lse], attributes) => {
      const { heads, kvHeads, headDim } = attributes as unknown as Record<string, number>;
      const inputs = { qkv, out, lse, dy: (dy as tf.Tensor[])[0] };
      return { qkv: () => backward(inputs, { heads, kvHeads, headDim })[0] };
    },
  },
});

/**
 * Causal grouped-query attention over sequences that stand one after the other. Position i attends to 0..i of its own
 * sequence, scores are scaled by 1 / sqrt(headDim), and query head h reads key-value head floor(h * kvHeads / heads).
 * Padding at the end of a sequence changes nothing before it.
 *
 * @param qkv [batch * length, (heads + 2 kvHeads) * headDim], rotated
 * @returns [batch * length, heads * headDim]
 */
export function causalAttention(qkv: tf.Tensor2D, length: number, layout: HeadLayout): tf.Tensor2D {
  const { heads, kvHeads, headDim } = layout;
  if (wasmActive()) {
    return tf.tidy(() => forward({ qkv }, { length, heads, kvHeads, headDim })[0] as tf.Tensor2D);
  }
  return tf.tidy(() => {
    const batch = qkv.shape[0] / length;
    const parts = tf.split(qkv, [heads * headDim, kvHeads * headDim, kvHeads * headDim], 1);
    const perHead = (x: tf.Tensor, count: number) => {
      const split = x.reshape([batch, length, count, headDim]).transpose([0, 2, 1, 3]);
      return repeatHeads(split as tf.Tensor4D, heads / count);
    };
    const [query, key, value] = [perHead(parts[0], heads), perHead(parts[1], kvHeads), perHead(parts[2], kvHeads)];
    const scores = tf.matMul(query, key, false, true).mul(1 / Math.sqrt(headDim));
    const mask = tf.linalg.bandPart(tf.ones([length, length]), -1, 0);
    const masked = scores.add(tf.sub(mask, 1).mul(1e9));
    const mixed = tf.matMul(tf.softmax(masked), value); // [batch, heads, length, headDim]
    return mixed.transpose([0, 2, 1, 3]).reshape([batch * length, heads * headDim]) as tf.Tensor2D;
  });
}

/** Repeats each key-value head for the query heads that share it. x: [batch, heads, length, headDim]. */
export function repeatHeads(x: tf.Tensor4D, times: number): tf.Tensor4D {
  if (times === 1) return x;
  const [batch, heads, length, headDim] = x.shape;
  return tf.stack(new Array(times).fill(x), 2).reshape([batch, heads * times, length, headDim]);
}
