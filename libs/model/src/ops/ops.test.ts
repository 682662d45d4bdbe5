import { stream } from '@capo/samples';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBackend } from '../backend/backend.js';
import { tf } from '../backend/tf.js';
import { causalAttention } from './attention.js';
import { gatherRows } from './gather-rows.js';
import { rmsNorm } from './rms-norm.js';
import { rotary, rotaryAngles } from './rotary.js';
import { swiglu } from './swiglu.js';
import { tokenLogprob } from './token-logprob.js';

/** Random numbers as a tensor's data; a width that is no multiple of four exercises the ends of the vector loops. */
function numbers(name: string, count: number): Float32Array {
  const random = stream(11, name);
  return Float32Array.from({ length: count }, () => random.normal());
}

interface Case {
  name: string;
  /** Data and shapes of the inputs that have a gradient. */
  inputs: { data: Float32Array; shape: number[] }[];
  compute(inputs: tf.Tensor[]): tf.Tensor;
}

const layout = { heads: 4, kvHeads: 2, headDim: 6 };
const packed = (layout.heads + 2 * layout.kvHeads) * layout.headDim;

const cases: Case[] = [
  {
    name: 'rmsNorm',
    inputs: [
      { data: numbers('x', 5 * 11), shape: [5, 11] },
      { data: numbers('weight', 11), shape: [11] },
    ],
    compute: ([x, weight]) => rmsNorm(x as tf.Tensor2D, weight as tf.Tensor1D, 1e-6),
  },
  {
    name: 'rotary',
    inputs: [{ data: numbers('qkv', 5 * packed), shape: [5, packed] }],
    compute: ([qkv]) => {
      const positions = tf.tensor1d([0, 3, 9, 1, 2], 'int32');
      return rotary(qkv as tf.Tensor2D, positions, rotaryAngles(10, layout.headDim, 10_000), layout);
    },
  },
  {
    name: 'causalAttention',
    inputs: [{ data: numbers('attention', 14 * packed), shape: [14, packed] }],
    // Sequences of 7, 1 and 6 rows.
    compute: ([qkv]) => causalAttention(qkv as tf.Tensor2D, Int32Array.of(0, 7, 8, 14), layout),
  },
  {
    name: 'swiglu',
    inputs: [{ data: numbers('gate', 3 * 14), shape: [3, 14] }],
    compute: ([x]) => swiglu(x as tf.Tensor2D),
  },
  {
    name: 'tokenLogprob',
    inputs: [{ data: numbers('logits', 4 * 13), shape: [4, 13] }],
    compute: ([logits]) => tokenLogprob(logits as tf.Tensor2D, tf.tensor1d([0, 12, 5, 5], 'int32'), 0.7).logprob,
  },
  {
    name: 'gatherRows',
    inputs: [{ data: numbers('table', 6 * 5), shape: [6, 5] }],
    compute: ([table]) => gatherRows(table as tf.Tensor2D, tf.tensor1d([2, 0, 2, 5], 'int32')),
  },
];

/** The output and the gradient of a random weighting of it, as plain numbers. */
function evaluate({ inputs, compute }: Case): { output: number[]; gradients: number[][] } {
  return tf.tidy(() => {
    const tensors = inputs.map(({ data, shape }) => tf.tensor(data, shape));
    const output = compute(tensors);
    const weights = tf.tensor(numbers('direction', output.size), output.shape);
    const gradients = tf.grads((...args: tf.Tensor[]) => compute(args).mul(weights).sum() as tf.Scalar)(tensors);
    return { output: [...output.dataSync()], gradients: gradients.map((gradient) => [...gradient.dataSync()]) };
  });
}

function expectClose(actual: number[], expected: number[], tolerance: number): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < actual.length; i++) expect(Math.abs(actual[i] - expected[i])).toBeLessThan(tolerance);
}

describe('fused operations', () => {
  beforeAll(() => useBackend('wasm'));
  afterAll(() => useBackend('cpu'));

  for (const item of cases) {
    it(`${item.name}: the kernel agrees with the composition of plain operations on the cpu backend`, async () => {
      await useBackend('cpu');
      const composed = evaluate(item);
      await useBackend('wasm');
      const fused = evaluate(item);
      expectClose(fused.output, composed.output, 1e-5);
      fused.gradients.forEach((gradient, i) => {
        expectClose(gradient, composed.gradients[i], 2e-5);
      });
    });

    it(`${item.name}: the gradient agrees with central differences`, async () => {
      await useBackend('wasm');
      const { gradients } = evaluate(item);
      const value = (inputs: Float32Array[]) =>
        tf.tidy(() => {
          const output = item.compute(inputs.map((data, i) => tf.tensor(data, item.inputs[i].shape)));
          const weights = numbers('direction', output.size);
          return Float32Array.from(output.dataSync()).reduce((sum, y, i) => sum + y * weights[i], 0);
        });
      const step = 1e-2;
      item.inputs.forEach(({ data }, which) => {
        for (let i = 0; i < data.length; i += 3) {
          const shifted = (delta: number) =>
            value(item.inputs.map((input, j) => input.data.map((x, k) => (j === which && k === i ? x + delta : x))));
          const difference = (shifted(step) - shifted(-step)) / (2 * step);
          // The error of the difference is of the order step^2 times the third derivative, and 1e-7 / step of rounding.
          expect(Math.abs(gradients[which][i] - difference)).toBeLessThan(3e-3 * Math.max(1, Math.abs(difference)));
        }
      });
    });

    it(`${item.name}: leaves no tensor behind`, async () => {
      await useBackend('wasm');
      evaluate(item);
      const before = tf.memory();
      evaluate(item);
      expect(tf.memory().numTensors).toBe(before.numTensors);
      expect(tf.memory().numDataBuffers).toBe(before.numDataBuffers);
    });
  }

  it('matMul with transposed operands equals the product of transposes', async () => {
    await useBackend('wasm');
    const a = numbers('a', 2 * 3 * 5);
    const b = numbers('b', 2 * 4 * 3);
    const result = tf.tidy(() => [
      ...tf.matMul(tf.tensor3d(a, [2, 3, 5]), tf.tensor3d(b, [2, 4, 3]), true, true).dataSync(),
    ]);
    for (let batch = 0; batch < 2; batch++) {
      for (let i = 0; i < 5; i++) {
        for (let j = 0; j < 4; j++) {
          let sum = 0;
          for (let k = 0; k < 3; k++) sum += a[batch * 15 + k * 5 + i] * b[batch * 12 + j * 3 + k];
          expect(result[batch * 20 + i * 4 + j]).toBeCloseTo(sum, 5);
        }
      }
    }
  });
});

describe('tokenLogprob', () => {
  beforeAll(() => useBackend('wasm'));

  it('stays exact for logits that would overflow and for a certain token', () => {
    // Row 1: softmax(1000, 999) = (1, e^-1) / (1 + e^-1); row 2: the other 200 below, log p is 0 in float32.
    const [logprob, entropy] = tf.tidy(() => {
      const scored = tokenLogprob(tf.tensor2d([1000, 999, 200, 0], [2, 2]), tf.tensor1d([1, 0], 'int32'));
      return [[...scored.logprob.dataSync()], [...scored.entropy.dataSync()]];
    });
    const p = 1 / (1 + Math.exp(1));
    expect(logprob[0]).toBeCloseTo(Math.log(p), 6);
    expect(entropy[0]).toBeCloseTo(-p * Math.log(p) - (1 - p) * Math.log(1 - p), 6);
    expect(logprob[1]).toBeCloseTo(0, 7);
    expect(entropy[1]).toBeCloseTo(0, 7);
  });
});
