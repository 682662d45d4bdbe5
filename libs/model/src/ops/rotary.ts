import { tf } from '../backend/tf.js';
import { fusedOperation, wasmActive } from '../backend/wasm-kernels.js';

/** How a packed row is divided: `[q: heads | k: kvHeads | v: kvHeads]`, each head of `headDim` numbers. */
export interface HeadLayout {
  heads: number;
  kvHeads: number;
  headDim: number;
}

/**
 * The table of rotary angles, [positions, headDim]: each row holds `cos(p w_i)` then `sin(p w_i)` for the headDim / 2
 * frequencies `w_i = theta^(-2i / headDim)` (Su et al. 2021).
 */
export function rotaryAngles(positions: number, headDim: number, theta: number): tf.Tensor2D {
  const half = headDim / 2;
  const table = new Float32Array(positions * headDim);
  for (let position = 0; position < positions; position++) {
    for (let i = 0; i < half; i++) {
      const angle = position * theta ** (-i / half);
      table[position * headDim + i] = Math.cos(angle);
      table[position * headDim + half + i] = Math.sin(angle);
    }
  }
  return tf.tensor2d(table, [positions, headDim]);
}

const forward = fusedOperation({
  name: 'Rotary',
  forward: ({ qkv, positions, angles }, { rotated, headDim, direction }, { kernels, pointer, allocate }) => {
    const [rows, width] = qkv.shape;
    const y = allocate(qkv.shape);
    const inputs = [pointer(qkv), pointer(y), pointer(positions), pointer(angles)];
    kernels.rotate(...inputs, rows, rotated, width - rotated * headDim, headDim, direction);
    return [y];
  },
  gradient: {
    inputsToSave: ['positions', 'angles'],
    gradFunc: (dy, [positions, angles], attributes) => {
      const { rotated, headDim } = attributes as unknown as Record<string, number>;
      const inputs = { qkv: dy as tf.Tensor, positions, angles };
      return {
        // A rotation's transpose is the rotation by the opposite angle.
        qkv: () => forward(inputs, { rotated, headDim, direction: -1 })[0],
      };
    },
  },
});

/**
 * Turns the query and key heads of packed rows by their positions; value heads stay as they are. Pairs are
 * (i, i + headDim / 2), as in Hugging Face's Llama and Qwen2.
 *
 * @param qkv [rows, (heads + 2 kvHeads) * headDim]
 * @param positions int32 [rows]
 * @param angles from `rotaryAngles`
 */
export function rotary(qkv: tf.Tensor2D, positions: tf.Tensor1D, angles: tf.Tensor2D, layout: HeadLayout): tf.Tensor2D {
  const { heads, kvHeads, headDim } = layout;
  const rotated = heads + kvHeads;
  if (wasmActive()) return forward({ qkv, positions, angles }, { rotated, headDim, direction: 1 })[0] as tf.Tensor2D;
  return tf.tidy(() => {
    const rows = qkv.shape[0];
    const [turn, values] = tf.split(qkv, [rotated * headDim, kvHeads * headDim], 1);
    const [a, b] = tf.split(turn.reshape([rows, rotated, headDim]), 2, 2);
    const [cos, sin] = tf.split(tf.gather(angles, positions).reshape([rows, 1, headDim]), 2, 2);
    const turned = tf.concat([a.mul(cos).sub(b.mul(sin)), b.mul(cos).add(a.mul(sin))], 2);
    return tf.concat([turned.reshape([rows, rotated * headDim]), values], 1) as tf.Tensor2D;
  });
}
