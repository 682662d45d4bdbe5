import { tf } from '../backend/tf.js';
import { fusedOperation, wasmActive } from '../backend/wasm-kernels.js';

const backward = fusedOperation({
  name: 'SwigluGradient',
  forward: ({ x, dy }, _, { kernels, pointer, allocate }) => {
    const dx = allocate(x.shape);
    kernels.swigluBackward(pointer(x), pointer(dy), pointer(dx), x.shape[0], x.shape[1] / 2);
    return [dx];
  },
});

const forward = fusedOperation({
  name: 'Swiglu',
  forward: ({ x }, _, { kernels, pointer, allocate }) => {
    const [rows, width] = x.shape;
    const y = allocate([rows, width / 2]);
    kernels.swigluForward(pointer(x), pointer(y), rows, width / 2);
    return [y];
  },
  gradient: {
    inputsToSave: ['x'],
    gradFunc: (dy, [x]) => ({ x: () => backward({ x, dy: dy as tf.Tensor }, {})[0] }),
  },
});

/**
 * The gated linear unit `silu(gate) * up` (Shazeer 2020) of rows packed as [gate | up].
 *
 * @param x [rows, 2 * width]
 * @returns [rows, width]
 */
export function swiglu(x: tf.Tensor2D): tf.Tensor2D {
  if (wasmActive()) return forward({ x }, {})[0] as tf.Tensor2D;
  return tf.tidy(() => {
    const [gate, up] = tf.split(x, 2, 1);
    return gate.mul(gate.sigmoid()).mul(up) as tf.Tensor2D;
  });
}
