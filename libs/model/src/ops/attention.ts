import { tf } from '../backend/tf.js';
import { fusedOperation, wasmActive } from '../backend/wasm-kernels.js';
import { gatherRows } from './gather-rows.js';
import type { HeadLayout } from './rotary.js';

const backward = fusedOperation({
  name: 'CausalAttentionGradient',
  forward: ({ qkv, starts, out, lse, dy }, { heads, kvHeads, headDim }, { kernels, pointer, allocate }) => {
    const dqkv = allocate(qkv.shape);
    const inputs = [pointer(qkv), pointer(starts), pointer(out), pointer(lse), pointer(dy)];
    kernels.attentionBackward(...inputs, pointer(dqkv), starts.shape[0] - 1, heads, kvHeads, headDim);
    return [dqkv];
  },
});

const forward = fusedOperation({
  name: 'CausalAttention',
  forward: ({ qkv, starts }, { longest, heads, kvHeads, headDim }, { kernels, pointer, allocate, release }) => {
    const out = allocate([qkv.shape[0], heads * headDim]);
    const lse = allocate([qkv.shape[0], heads]);
    const scores = allocate([longest]);
    const pointers = [qkv, starts, out, lse, scores].map(pointer);
    kernels.attentionForward(...pointers, starts.shape[0] - 1, heads, kvHeads, headDim);
    release(scores);
    return [out, lse];
  },
  gradient: {
    inputsToSave: ['qkv', 'starts'],
    outputsToSave: [true, true],
    gradFunc: (dy, [qkv, starts, out, lse], attributes) => {
      const { heads, kvHeads, headDim } = attributes as unknown as Record<string, number>;
      const inputs = { qkv, starts, out, lse, dy: (dy as tf.Tensor[])[0] };
      return { qkv: () => backward(inputs, { heads, kvHeads, headDim })[0] };
    },
  },
});

/**
 * Causal grouped-query attention over sequences that stand one after the other, without padding. A position attends to
 * itself and to those before it in its own sequence, scores are scaled by 1 / sqrt(headDim), and query head h reads
 * key-value head floor(h * kvHeads / heads).
 *
 * @param qkv [rows, (heads + 2 kvHeads) * headDim], rotated
 * @param starts the first row of each sequence, and the number of rows at the end
 * @returns [rows, heads * headDim]
 */
export function causalAttention(qkv: tf.Tensor2D, starts: Int32Array, layout: HeadLayout): tf.Tensor2D {
  const { heads, kvHeads, headDim } = layout;
  const longest = starts.reduce((most, start, i) => (i === 0 ? 0 : Math.max(most, start - starts[i - 1])), 0);
  return tf.tidy(() => {
    if (!wasmActive()) return composed(qkv, starts, longest, layout);
    const inputs = { qkv, starts: tf.tensor1d(starts, 'int32') };
    return forward(inputs, { longest, heads, kvHeads, headDim })[0] as tf.Tensor2D;
  });
}

/** The same from plain operations: sequences are padded to the longest, and the padding is left out again. */
function composed(qkv: tf.Tensor2D, starts: Int32Array, longest: number, layout: HeadLayout): tf.Tensor2D {
  const { heads, kvHeads, headDim } = layout;
  const batch = starts.length - 1;
  // Padding repeats a sequence's last row; causality keeps it from changing the rows before it.
  const padded = new Int32Array(batch * longest);
  const back = new Int32Array(qkv.shape[0]);
  for (let b = 0; b < batch; b++) {
    for (let i = 0; i < longest; i++) padded[b * longest + i] = Math.min(starts[b] + i, starts[b + 1] - 1);
    for (let row = starts[b]; row < starts[b + 1]; row++) back[row] = b * longest + row - starts[b];
  }
  const rows = gatherRows(qkv, tf.tensor1d(padded, 'int32'));
  const parts = tf.split(rows, [heads * headDim, kvHeads * headDim, kvHeads * headDim], 1);
  const perHead = (x: tf.Tensor, count: number) => {
    const split = x.reshape([batch, longest, count, headDim]).transpose([0, 2, 1, 3]);
    return repeatHeads(split as tf.Tensor4D, heads / count);
  };
  const [query, key, value] = [perHead(parts[0], heads), perHead(parts[1], kvHeads), perHead(parts[2], kvHeads)];
  const scores = tf.matMul(query, key, false, true).mul(1 / Math.sqrt(headDim));
  const mask = tf.linalg.bandPart(tf.ones([longest, longest]), -1, 0);
  const masked = scores.add(tf.sub(mask, 1).mul(1e9));
  const mixed = tf.matMul(tf.softmax(masked), value); // [batch, heads, longest, headDim]
  const flat = mixed.transpose([0, 2, 1, 3]).reshape([batch * longest, heads * headDim]) as tf.Tensor2D;
  return gatherRows(flat, tf.tensor1d(back, 'int32'));
}

/** Repeats each key-value head for the query heads that share it. x: [batch, heads, length, headDim]. */
export function repeatHeads(x: tf.Tensor4D, times: number): tf.Tensor4D {
  if (times === 1) return x;
  const [batch, heads, length, headDim] = x.shape;
  return tf.stack(new Array(times).fill(x), 2).reshape([batch, heads * times, length, headDim]);
}
