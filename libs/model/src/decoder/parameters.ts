import { InputError, type RandomStream } from '@capo/samples';
import { tf } from '../backend/tf.js';
import type { ModelConfig } from '../config/model-config.js';

/** The shapes of the decoder's parameters, by name. */
type ParameterShapes = Map<string, number[]>;

/** Weights by name, in the decoder's own layout; each is asked for once. */
export type Weights = Pick<ReadonlyMap<string, Float32Array>, 'get'>;

/**
 * The decoder's own parameters. Matrices are stored [in, out]; the query, key and value projections stand side by side
 * in one matrix, and so do the gate and up projections, so that a layer takes four products instead of seven.
 * `pretrained.ts` maps the published names to them.
 */
export function parameterShapes(config: ModelConfig): ParameterShapes {
  const { hidden_size: hidden, intermediate_size: intermediate, head_dim: headDim, vocab_size: vocab } = config;
  const packed = (config.num_attention_heads + 2 * config.num_key_value_heads) * headDim;
  const shapes: ParameterShapes = new Map([['embedding', [vocab, hidden]]]);
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const name = (part: string) => `layers.${layer}.${part}`;
    shapes.set(name('attention_norm'), [hidden]);
    shapes.set(name('qkv'), [hidden, packed]);
    if (config.attention_bias) shapes.set(name('qkv_bias'), [packed]);
    if (config.qk_norm) {
      shapes.set(name('q_norm'), [headDim]);
      shapes.set(name('k_norm'), [headDim]);
    }
    shapes.set(name('attention_out'), [config.num_attention_heads * headDim, hidden]);
    if (config.attention_output_bias) shapes.set(name('attention_out_bias'), [hidden]);
    shapes.set(name('mlp_norm'), [hidden]);
    shapes.set(name('gate_up'), [hidden, 2 * intermediate]);
    shapes.set(name('mlp_out'), [intermediate, hidden]);
  }
  shapes.set('final_norm', [hidden]);
  if (!config.tie_word_embeddings) shapes.set('head', [hidden, vocab]);
  return shapes;
}

/**
 * Fresh weights: norms 1, biases 0, matrices normal with standard deviation `initializer_range`, and the two
 * projections that write to the residual stream divided by sqrt(2 layers), as in GPT-2.
 */
export function initialWeights(config: ModelConfig, random: RandomStream): Map<string, Float32Array> {
  const residual = config.initializer_range / Math.sqrt(2 * config.num_hidden_layers);
  const weights = new Map<string, Float32Array>();
  for (const [name, shape] of parameterShapes(config)) {
    const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
    if (name.endsWith('norm')) data.fill(1);
    else if (!name.endsWith('bias')) {
      const deviation = name.endsWith('_out') ? residual : config.initializer_range;
      for (let i = 0; i < data.length; i++) data[i] = deviation * random.normal();
    }
    weights.set(name, data);
  }
  return weights;
}

/** The decoder's weights as trainable variables of the running backend. */
export function createParameters(config: ModelConfig, weights: Weights): Map<string, tf.Variable> {
  const parameters = new Map<string, tf.Variable>();
  for (const [name, shape] of parameterShapes(config)) {
    const data = weights.get(name);
    const size = shape.reduce((product, extent) => product * extent, 1);
    if (data?.length !== size) {
      throw new InputError(
        `The weight "${name}" has ${data?.length ?? 'no'} numbers where its shape [${shape}] needs ${size}.`,
      );
    }
    const initial = tf.tensor(data, shape);
    parameters.set(name, tf.variable(initial));
    initial.dispose();
  }
  return parameters;
}
