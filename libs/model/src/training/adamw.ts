import { InputError } from '@capo/samples';
import { tf } from '../backend/tf.js';
import { kernelContext, wasmActive } from '../backend/wasm-kernels.js';

/** The hyperparameters of AdamW. */
export interface AdamWOptions {
  beta1: number;
  beta2: number;
  epsilon: number;
  /** Decoupled weight decay; matrices only, norms and biases are left alone. */
  weightDecay: number;
  /** The largest norm of the whole gradient; a longer one is scaled down to it. */
  maxGradientNorm: number;
}

/** The moments and the step count: what a checkpoint must hold for a resumed run to equal an uninterrupted one. */
export interface AdamWState {
  step: number;
  moment1: Map<string, Float32Array>;
  moment2: Map<string, Float32Array>;
}

/** AdamW (Loshchilov & Hutter 2019) with clipping of the global gradient norm, over named parameters. */
export class AdamW {
  private step = 0;
  private readonly moments = new Map<string, { moment1: tf.Variable; moment2: tf.Variable }>();

  constructor(
    private readonly parameters: ReadonlyMap<string, tf.Variable>,
    private readonly options: AdamWOptions,
  ) {
    for (const [name, parameter] of parameters) {
      const zero = () => tf.tidy(() => tf.variable(tf.zeros(parameter.shape), false));
      this.moments.set(name, { moment1: zero(), moment2: zero() });
    }
  }

  /**
   * Applies one update and returns the norm of the gradient before clipping. A gradient whose norm is not finite
   * changes nothing, neither weights nor moments; the caller sees the norm and decides.
   *
   * @param gradients by parameter name; disposed here
   */
  update(gradients: ReadonlyMap<string, tf.Tensor>, learningRate: number): number {
    const norm = globalNorm(gradients);
    if (Number.isFinite(norm)) {
      this.step++;
      const scale = norm > this.options.maxGradientNorm ? this.options.maxGradientNorm / norm : 1;
      for (const [name, gradient] of gradients) this.apply(name, gradient, learningRate, scale);
    }
    for (const gradient of gradients.values()) gradient.dispose();
    return norm;
  }

  async state(): Promise<AdamWState> {
    const state: AdamWState = { step: this.step, moment1: new Map(), moment2: new Map() };
    for (const [name, { moment1, moment2 }] of this.moments) {
      state.moment1.set(name, Float32Array.from(await moment1.data()));
      state.moment2.set(name, Float32Array.from(await moment2.data()));
    }
    return state;
  }

  /** @throws InputError when the state belongs to a model of another shape */
  restore(state: AdamWState): void {
    for (const [name, variables] of this.moments) {
      for (const kind of ['moment1', 'moment2'] as const) {
        const data = state[kind].get(name);
        if (data?.length !== variables[kind].size) {
          throw new InputError(
            `The optimizer state does not fit the model: ${kind} of "${name}" has ${data?.length ?? 'no'} numbers, the model needs ${variables[kind].size}.`,
          );
        }
        tf.tidy(() => variables[kind].assign(tf.tensor(data, variables[kind].shape)));
      }
    }
    this.step = state.step;
  }

  dispose(): void {
    for (const { moment1, moment2 } of this.moments.values()) tf.dispose([moment1, moment2]);
  }

  private apply(name: string, gradient: tf.Tensor, learningRate: number, scale: number): void {
    const parameter = this.parameters.get(name) as tf.Variable;
    const { moment1, moment2 } = this.moments.get(name) as { moment1: tf.Variable; moment2: tf.Variable };
    const { beta1, beta2, epsilon } = this.options;
    const weightDecay = parameter.rank > 1 ? this.options.weightDecay : 0;
    const correction1 = 1 - beta1 ** this.step;
    const correction2 = 1 - beta2 ** this.step;
    if (wasmActive()) {
      // A new tensor for the weights: the backend's matMul keeps a packed copy of its second operand for as long as
      // that tensor lives, so weights changed in place would go on being read as they were.
      const updated = tf.zeros(parameter.shape);
      const { kernels, pointer } = kernelContext();
      const pointers = [parameter, updated, gradient, moment1, moment2].map(pointer);
      const rates = [learningRate, beta1, beta2, epsilon, weightDecay, correction1, correction2, scale];
      kernels.adamw(...pointers, parameter.size, ...rates);
      parameter.assign(updated);
      updated.dispose();
      return;
    }
    tf.tidy(() => {
      const g = gradient.mul(scale);
      moment1.assign(moment1.mul(beta1).add(g.mul(1 - beta1)));
      moment2.assign(moment2.mul(beta2).add(g.square().mul(1 - beta2)));
      const update = moment1.div(correction1).div(moment2.div(correction2).sqrt().add(epsilon));
      parameter.assign(parameter.mul(1 - learningRate * weightDecay).sub(update.mul(learningRate)));
    });
  }
}

/** The Euclidean norm of all gradients together. */
function globalNorm(gradients: ReadonlyMap<string, tf.Tensor>): number {
  let sum = 0;
  for (const gradient of gradients.values()) {
    if (wasmActive()) {
      const { kernels, pointer } = kernelContext();
      sum += kernels.sumOfSquares(pointer(gradient), gradient.size);
    } else {
      sum += tf.tidy(() => gradient.square().sum().dataSync()[0]);
    }
  }
  return Math.sqrt(sum);
}
