import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import { tf } from './tf.js';

let replaced = false;

/**
 * Replaces the wasm kernel of `matMul` by one that transposes first. As it comes, the kernel takes a naive loop
 * whenever an operand is to be read transposed, 13 to 25 times slower than the optimised path; every gradient of
 * `matMul` asks for that. A transpose costs a tenth of the multiplication that follows.
 */
export function installFastMatMul(): void {
  if (replaced) return;
  const original = tf.getKernel('BatchMatMul', 'wasm');
  const transpose = tf.getKernel('Transpose', 'wasm');
  if (!original || !transpose) return;
  tf.unregisterKernel('BatchMatMul', 'wasm');
  tf.registerKernel({
    ...original,
    kernelFunc: ({ inputs, attrs, backend }) => {
      const wasm = backend as BackendWasm;
      const { transposeA, transposeB } = attrs as unknown as { transposeA: boolean; transposeB: boolean };
      const flip = (x: tf.TensorInfo, wanted: boolean): tf.TensorInfo => {
        if (!wanted) return x;
        const perm = x.shape.map((_, axis) => axis);
        perm.splice(-2, 2, x.shape.length - 1, x.shape.length - 2);
        return transpose.kernelFunc({ inputs: { x }, attrs: { perm } as never, backend }) as tf.TensorInfo;
      };
      const a = flip(inputs.a as tf.TensorInfo, transposeA);
      const b = flip(inputs.b as tf.TensorInfo, transposeB);
      const product = original.kernelFunc({
        inputs: { a, b },
        attrs: { transposeA: false, transposeB: false } as never,
        backend,
      });
      if (transposeA) wasm.disposeData(a.dataId);
      if (transposeB) wasm.disposeData(b.dataId);
      return product;
    },
  });
  replaced = true;
}
