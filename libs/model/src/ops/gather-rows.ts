import { tf } from '../backend/tf.js';
import { fusedOperation, wasmActive } from '../backend/wasm-kernels.js';

const backward = fusedOperation({
  name: 'GatherRowsGradient',
  forward: ({ ids, dy }, { count }, { kernels, pointer, allocate }) => {
    const [rows, width] = dy.shape;
    const dtable = allocate([count, width]);
    kernels.embeddingBackward(pointer(ids), pointer(dy), pointer(dtable), rows, width, count);
    return [dtable];
  },
});

const forward = fusedOperation({
  name: 'GatherRows',
  forward: ({ table, ids }, _, { kernels, pointer, allocate }) => {
    const [rows, width] = [ids.shape[0], table.shape[1]];
    const y = allocate([rows, width]);
    kernels.embeddingForward(pointer(table), pointer(ids), pointer(y), rows, width);
    return [y];
  },
  gradient: {
    inputsToSave: ['table', 'ids'],
    gradFunc: (dy, [table, ids]) => ({
      table: () => backward({ ids, dy: dy as tf.Tensor }, { count: table.shape[0] })[0],
    }),
  },
});

/**
 * The rows of a table by index, with a gradient that adds up rows taken more than once: token embeddings, and the
 * hidden states at the positions that are scored. Indices must lie in the table; they are not checked here.
 *
 * @param table [count, width]
 * @param ids int32 [rows]
 * @returns [rows, width]
 */
export function gatherRows(table: tf.Tensor2D, ids: tf.Tensor1D): tf.Tensor2D {
  if (wasmActive()) return forward({ table, ids }, {})[0] as tf.Tensor2D;
  return composed(table, ids);
}

/** `tf.gather` with a gradient by a product with one-hot rows: its own needs a kernel that not every backend has. */
const composed = tf.customGrad((table, ids, save) => {
  (save as tf.GradSaveFunc)([table as tf.Tensor, ids as tf.Tensor]);
  return {
    value: tf.gather(table as tf.Tensor2D, ids as tf.Tensor1D),
    gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => {
      const count = saved[0].shape[0] as number;
      const oneHot = tf.oneHot(saved[1] as tf.Tensor1D, Math.max(2, count)).toFloat() as tf.Tensor2D;
      const dtable = tf.matMul(oneHot, dy as tf.Tensor2D, true, false).slice([0, 0], [count, -1]);
      return [dtable, tf.zerosLike(saved[1])];
    },
  };
}) as unknown as (table: tf.Tensor2D, ids: tf.Tensor1D) => tf.Tensor2D;
