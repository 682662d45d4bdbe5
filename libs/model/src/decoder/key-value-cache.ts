import { tf } from '../backend/tf.js';
import { fusedOperation, kernelContext, wasmActive } from '../backend/wasm-kernels.js';
import type { ModelConfig } from '../config/model-config.js';
import { repeatHeads } from '../ops/attention.js';

/** The rows of the cache that a prefill fills: row `rows[i]` gets the sequence `sequences[i]` of the prefilled batch. */
interface PrefillTarget {
  rows: Int32Array;
  sequences: Int32Array;
}

/**
 * The keys and values of the positions that a batch of sequences has seen: per layer two tensors
 * [rows, capacity, kvHeads * headDim]. The slot of a token is its position, so every row has a length of its own and a
 * finished row can be given to another sequence while the rest go on.
 */
export interface KeyValueCache {
  readonly rows: number;
  readonly capacity: number;
  /** Sets where the next prefill goes. */
  target: PrefillTarget;
  /** Takes the keys and values of a prefilled batch. qkv: [rows, packed], rotated, divided into sequences by `starts`. */
  fill(layer: number, qkv: tf.Tensor2D, starts: Int32Array): void;
  /** Stores one new position per row and attends to all up to it. qkv: [rows, packed]; returns [rows, heads * headDim]. */
  attend(layer: number, qkv: tf.Tensor2D, positions: tf.Tensor1D): tf.Tensor2D;
  dispose(): void;
}

/** A cache for `rows` sequences of at most `capacity` positions on the running backend. */
export function createKeyValueCache(config: ModelConfig, rows: number, capacity: number): KeyValueCache {
  return wasmActive() ? new WasmCache(config, rows, capacity) : new TensorCache(config, rows, capacity);
}

abstract class CacheBase {
  target: PrefillTarget = { rows: new Int32Array(0), sequences: new Int32Array(0) };
  protected readonly keys: tf.Tensor3D[] = [];
  protected readonly values: tf.Tensor3D[] = [];

  constructor(
    protected readonly config: ModelConfig,
    readonly rows: number,
    readonly capacity: number,
  ) {
    const shape: [number, number, number] = [rows, capacity, config.num_key_value_heads * config.head_dim];
    for (let layer = 0; layer < config.num_hidden_layers; layer++) {
      this.keys.push(tf.keep(tf.zeros(shape)));
      this.values.push(tf.keep(tf.zeros(shape)));
    }
  }

  dispose(): void {
    tf.dispose([this.keys, this.values]);
  }
}

const attendStep = fusedOperation({
  name: 'AttentionStep',
  forward: ({ qkv, keys, values, positions }, { heads, kvHeads, headDim }, { kernels, pointer, allocate, release }) => {
    const [rows, capacity] = keys.shape;
    const out = allocate([rows, heads * headDim]);
    const scores = allocate([capacity]);
    const tensors = [qkv, keys, values, positions, out, scores].map(pointer);
    kernels.attentionDecode(...tensors, rows, capacity, heads, kvHeads, headDim);
    release(scores);
    return [out];
  },
});

/** Writes into the cache's memory in place. */
class WasmCache extends CacheBase implements KeyValueCache {
  fill(layer: number, qkv: tf.Tensor2D, starts: Int32Array): void {
    const { pointer, heap } = kernelContext();
    const memory = heap();
    const kvWidth = this.keys[layer].shape[2];
    const width = qkv.shape[1];
    const source = pointer(qkv) / 4 + width - 2 * kvWidth;
    const keys = pointer(this.keys[layer]) / 4;
    const values = pointer(this.values[layer]) / 4;
    const { rows, sequences } = this.target;
    for (let i = 0; i < rows.length; i++) {
      const start = starts[sequences[i]];
      const positions = starts[sequences[i] + 1] - start;
      for (let position = 0; position < positions; position++) {
        const from = source + (start + position) * width;
        const to = (rows[i] * this.capacity + position) * kvWidth;
        memory.copyWithin(keys + to, from, from + kvWidth);
        memory.copyWithin(values + to, from + kvWidth, from + 2 * kvWidth);
      }
    }
  }

  attend(layer: number, qkv: tf.Tensor2D, positions: tf.Tensor1D): tf.Tensor2D {
    const { num_attention_heads: heads, num_key_value_heads: kvHeads, head_dim: headDim } = this.config;
    const inputs = { qkv, keys: this.keys[layer], values: this.values[layer], positions };
    return attendStep(inputs, { heads, kvHeads, headDim })[0] as tf.Tensor2D;
  }
}

/** Replaces the cache's tensors at each step; for backends whose memory cannot be written in place. */
class TensorCache extends CacheBase implements KeyValueCache {
  fill(layer: number, qkv: tf.Tensor2D, starts: Int32Array): void {
    const { rows, sequences } = this.target;
    const kvWidth = this.keys[layer].shape[2];
    // For each slot of the cache, the row that fills it; other slots of a filled row may hold anything.
    const source = new Int32Array(this.rows * this.capacity);
    const filled = new Float32Array(this.rows);
    for (let i = 0; i < rows.length; i++) {
      filled[rows[i]] = 1;
      const [start, end] = [starts[sequences[i]], starts[sequences[i] + 1]];
      for (let slot = 0; slot < this.capacity; slot++) {
        source[rows[i] * this.capacity + slot] = Math.min(start + slot, end - 1);
      }
    }
    for (const [part, cache] of [this.keys, this.values].entries()) {
      const next = tf.tidy(() => {
        const column = tf.slice(qkv, [0, qkv.shape[1] - (2 - part) * kvWidth], [-1, kvWidth]);
        const fresh = tf.gather(column, tf.tensor1d(source, 'int32')).reshape([this.rows, this.capacity, kvWidth]);
        const use = tf.tensor3d(filled, [this.rows, 1, 1]);
        return fresh.mul(use).add(cache[layer].mul(tf.sub(1, use))) as tf.Tensor3D;
      });
      this.replace(cache, layer, next);
    }
  }

  attend(layer: number, qkv: tf.Tensor2D, positions: tf.Tensor1D): tf.Tensor2D {
    const { num_attention_heads: heads, num_key_value_heads: kvHeads, head_dim: headDim } = this.config;
    const kvWidth = kvHeads * headDim;
    const [query, key, value] = tf.split(qkv, [heads * headDim, kvWidth, kvWidth], 1);
    const slot = tf.oneHot(tf.relu(positions).toInt(), this.capacity).toFloat().expandDims(2);
    const write = (old: tf.Tensor3D, fresh: tf.Tensor) =>
      tf.tidy(() => old.mul(tf.sub(1, slot)).add(slot.mul(fresh.expandDims(1))) as tf.Tensor3D);
    this.replace(this.keys, layer, write(this.keys[layer], key));
    this.replace(this.values, layer, write(this.values[layer], value));
    const perHead = (x: tf.Tensor3D) => {
      const split = x.reshape([this.rows, this.capacity, kvHeads, headDim]).transpose([0, 2, 1, 3]);
      return repeatHeads(split as tf.Tensor4D, heads / kvHeads);
    };
    const scores = tf
      .matMul(query.reshape([this.rows, heads, 1, headDim]), perHead(this.keys[layer]), false, true)
      .mul(1 / Math.sqrt(headDim)); // [rows, heads, 1, capacity]
    const slots = tf.range(0, this.capacity, 1, 'int32').reshape([1, 1, 1, this.capacity]);
    const seen = slots.lessEqual(positions.reshape([this.rows, 1, 1, 1])).toFloat();
    const weights = tf.softmax(scores.add(tf.sub(seen, 1).mul(1e9)));
    return tf.matMul(weights, perHead(this.values[layer])).reshape([this.rows, heads * headDim]) as tf.Tensor2D;
  }

  private replace(cache: tf.Tensor3D[], layer: number, next: tf.Tensor3D): void {
    cache[layer].dispose();
    cache[layer] = tf.keep(next);
  }
}
