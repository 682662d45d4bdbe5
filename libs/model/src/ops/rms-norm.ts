import { tf } from '../backend/tf.js';
import { fusedOperation, wasmActive } from '../backend/wasm-kernels.js';

const backward = fusedOperation({
  name: 'RmsNormGradient',
  forward: ({ x, weight, rstd, dy }, _, { kernels, pointer, allocate }) => {
    const [rows, width] = x.shape;
    const dx = allocate(x.shape);
    const dweight = allocate([width]);
    const inputs = [pointer(x), pointer(weight), pointer(rstd), pointer(dy)];
    kernels.rmsNormBackward(...inputs, pointer(dx), pointer(dweight), rows, width);
    return [dx, dweight];
  },
});

const forward = fusedOperation({
  name: 'RmsNorm',
  forward: ({ x, weight }, { eps }, { kernels, pointer, allocate }) => {
    const [rows, width] = x.shape;
    const y = allocate(x.shape);
    const rstd = allocate([rows]);
    kernels.rmsNormForward(pointer(x), pointer(weight), pointer(y), pointer(rstd), rows, width, eps);
    return [y, rstd];
  },
  gradient: {
    inputsToSave: ['x', 'weight'],
    outputsToSave: [false, true],
    gradFunc: (dy, [x, weight, rstd]) => {
      const gradients = tf.tidy(() => backward({ x, weight, rstd, dy: (dy as tf.Tensor[])[0] }, {}));
      return { x: () => gradients[0], weight: () => gradients[1] };
    },
  },
});

/**
 * Root-mean-square normalisation of each row: `x / sqrt(mean(x^2) + eps) * weight` (Zhang & Sennrich 2019).
 *
 * @param x [rows, width]
 * @param weight [width]
 */
export function rmsNorm(x: tf.Tensor2D, weight: tf.Tensor1D, eps: number): tf.Tensor2D {
  if (wasmActive()) return tf.tidy(() => forward({ x, weight }, { eps })[0] as tf.Tensor2D);
  return tf.tidy(() => x.mul(x.square().mean(1, true).add(eps).rsqrt()).mul(weight));
}
