import { InputError } from '@capo/samples';
import { tf } from '../backend/tf.js';
import type { ModelConfig } from '../config/model-config.js';
import { causalAttention } from '../ops/attention.js';
import { gatherRows } from '../ops/gather-rows.js';
import { rmsNorm } from '../ops/rms-norm.js';
import { type HeadLayout, rotary, rotaryAngles } from '../ops/rotary.js';
import { swiglu } from '../ops/swiglu.js';
import type { Adapters } from './adapters.js';
import type { KeyValueCache } from './key-value-cache.js';
import { createParameters, type Weights } from './parameters.js';

/** Reads and mixes the packed, rotated rows of one layer: full causal attention, or one step against a cache. */
type Attend = (qkv: tf.Tensor2D, layer: number) => tf.Tensor2D;

/**
 * A decoder-only transformer of the Llama, Qwen2 and Qwen3 family: RMSNorm before each block, rotary positions,
 * grouped-query attention, SwiGLU, optional attention biases, optional norms on queries and keys, tied or own head.
 *
 * Every method leaves no tensor behind but the ones it returns; `dispose` frees the weights.
 */
export class Decoder {
  readonly parameters: Map<string, tf.Variable>;
  /** Low-rank adapters, when the decoder has some: then they are trained, and the parameters are frozen. */
  adapters: Adapters | null = null;
  private readonly layout: HeadLayout;
  private angles: tf.Tensor2D;

  /** @param weights in the decoder's own layout */
  constructor(
    readonly config: ModelConfig,
    weights: Weights,
  ) {
    this.parameters = createParameters(config, weights);
    this.layout = {
      heads: config.num_attention_heads,
      kvHeads: config.num_key_value_heads,
      headDim: config.head_dim,
    };
    this.angles = tf.keep(rotaryAngles(64, config.head_dim, config.rope_theta));
  }

  /** What training changes: the adapters' matrices when there are some, otherwise all parameters. */
  get trainable(): Map<string, tf.Variable> {
    return this.adapters?.parameters ?? this.parameters;
  }

  /**
   * The normalised last hidden states of whole sequences, at the rows that are asked for.
   *
   * @param tokens the sequences' ids one after the other, without padding
   * @param starts the first row of each sequence, and the number of rows at the end
   * @param rows which rows are wanted; the last layer computes no others
   * @param cache filled with the keys and values of every layer when given
   * @returns [rows.length, hidden_size]
   */
  hidden(tokens: Int32Array, starts: Int32Array, rows: Int32Array, cache?: KeyValueCache): tf.Tensor2D {
    const positions = new Int32Array(tokens.length);
    let longest = 0;
    for (let b = 0; b + 1 < starts.length; b++) {
      for (let row = starts[b]; row < starts[b + 1]; row++) positions[row] = row - starts[b];
      longest = Math.max(longest, starts[b + 1] - starts[b]);
    }
    this.growAngles(longest);
    return tf.tidy(() => {
      const attend: Attend = (qkv, layer) => {
        cache?.fill(layer, qkv, starts);
        return causalAttention(qkv, starts, this.layout);
      };
      const wanted = tf.tensor1d(rows, 'int32');
      return this.forward(tf.tensor1d(tokens, 'int32'), tf.tensor1d(positions, 'int32'), attend, wanted);
    });
  }

  /**
   * The hidden states of one new token per sequence, with a key-value cache.
   *
   * @param tokens int32 [batch]
   * @param positions int32 [batch]: the position of each token; negative for a row that is not in use
   * @returns [batch, hidden_size]
   */
  step(tokens: tf.Tensor1D, positions: tf.Tensor1D, cache: KeyValueCache): tf.Tensor2D {
    this.growAngles(cache.capacity);
    return tf.tidy(() => {
      const turn = tf.maximum(positions, tf.scalar(0, 'int32')) as tf.Tensor1D;
      return this.forward(tokens, turn, (qkv, layer) => cache.attend(layer, qkv, positions));
    });
  }

  /** The logits of hidden states. hidden: [rows, hidden_size]; returns [rows, vocab_size]. */
  logits(hidden: tf.Tensor2D): tf.Tensor2D {
    const head = this.parameters.get('head');
    if (head) return tf.matMul(hidden, head as unknown as tf.Tensor2D);
    return tf.matMul(hidden, this.parameter('embedding') as tf.Tensor2D, false, true);
  }

  /** The weights as plain numbers, in the decoder's own layout. */
  async weights(): Promise<Map<string, Float32Array>> {
    const weights = new Map<string, Float32Array>();
    // A copy, since the data of a wasm tensor is a view that later steps change.
    for (const [name, variable] of this.parameters) weights.set(name, Float32Array.from(await variable.data()));
    return weights;
  }

  /** Replaces weights, in the decoder's own layout. */
  assign(weights: Weights): void {
    for (const [name, variable] of this.parameters) {
      const data = weights.get(name);
      if (data?.length !== variable.size) {
        throw new InputError(
          `The weight "${name}" has ${data?.length ?? 'no'} numbers where the model needs ${variable.size}.`,
        );
      }
      // A new tensor: the backend's matMul keeps a packed copy of the old one.
      tf.tidy(() => variable.assign(tf.tensor(data, variable.shape)));
    }
  }

  dispose(): void {
    for (const variable of this.parameters.values()) variable.dispose();
    this.adapters?.dispose();
    this.angles.dispose();
  }

  private forward(tokens: tf.Tensor1D, positions: tf.Tensor1D, attend: Attend, wanted?: tf.Tensor1D): tf.Tensor2D {
    const { config } = this;
    const eps = config.rms_norm_eps;
    let x = gatherRows(this.parameter('embedding') as tf.Tensor2D, tokens); // [rows, hidden]
    for (let layer = 0; layer < config.num_hidden_layers; layer++) {
      const weight = <R extends tf.Tensor>(part: string) => this.parameter(`layers.${layer}.${part}`) as R;
      const normed = rmsNorm(x, weight<tf.Tensor1D>('attention_norm'), eps);
      let qkv: tf.Tensor2D = this.project(normed, layer, 'qkv'); // [rows, (heads + 2 kvHeads) * headDim]
      if (config.attention_bias) qkv = qkv.add(weight('qkv_bias'));
      if (config.qk_norm) qkv = this.normaliseHeads(qkv, weight('q_norm'), weight('k_norm'));
      let mixed = attend(rotary(qkv, positions, this.angles, this.layout), layer); // [rows, heads * headDim]
      if (wanted && layer === config.num_hidden_layers - 1) {
        // Nothing after the last attention looks at other rows.
        [x, mixed] = [gatherRows(x, wanted), gatherRows(mixed, wanted)];
      }
      x = x.add(this.project(mixed, layer, 'attention_out'));
      if (config.attention_output_bias) x = x.add(weight('attention_out_bias'));
      const gateUp = this.project(rmsNorm(x, weight<tf.Tensor1D>('mlp_norm'), eps), layer, 'gate_up');
      x = x.add(this.project(swiglu(gateUp), layer, 'mlp_out'));
    }
    return rmsNorm(x, this.parameter('final_norm') as tf.Tensor1D, eps);
  }

  /** The product with a matrix of a layer, its adapters added. */
  private project(x: tf.Tensor2D, layer: number, part: string): tf.Tensor2D {
    const name = `layers.${layer}.${part}`;
    const product: tf.Tensor2D = tf.matMul(x, this.parameter(name) as tf.Tensor2D);
    const delta = this.adapters?.delta(x, name);
    return delta ? product.add(delta) : product;
  }

  /** Qwen3's norms of each query and key head, before the rotation. */
  private normaliseHeads(qkv: tf.Tensor2D, qNorm: tf.Tensor1D, kNorm: tf.Tensor1D): tf.Tensor2D {
    const { heads, kvHeads, headDim } = this.layout;
    const widths = [heads * headDim, kvHeads * headDim, kvHeads * headDim];
    const [q, k, v] = tf.split(qkv, widths, 1) as tf.Tensor2D[];
    const normalise = (x: tf.Tensor2D, weight: tf.Tensor1D) =>
      rmsNorm(x.reshape<tf.Tensor2D>([-1, headDim]), weight, this.config.rms_norm_eps).reshape<tf.Tensor2D>(x.shape);
    return tf.concat([normalise(q, qNorm), normalise(k, kNorm), v], 1) as tf.Tensor2D;
  }

  private parameter(name: string): tf.Tensor {
    return this.parameters.get(name) as tf.Tensor;
  }

  /** Makes the table of angles at least that long; outside any tidy, since it lives on. */
  private growAngles(positions: number): void {
    const have = this.angles.shape[0];
    if (positions <= have) return;
    this.angles.dispose();
    this.angles = tf.keep(rotaryAngles(Math.max(positions, 2 * have), this.config.head_dim, this.config.rope_theta));
  }
}
