import { InputError, type RandomStream } from '@capo/samples';
import { tf } from '../backend/tf.js';
import type { ModelConfig } from '../config/model-config.js';
import { parameterShapes } from './parameters.js';
import { publishedNames, publishedWidths } from './published-names.js';

/** The projections that can have an adapter, by their names in Hugging Face's layout. */
export const ADAPTER_TARGETS = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'] as const;
export type AdapterTarget = (typeof ADAPTER_TARGETS)[number];

export interface AdapterOptions {
  /** The rank r of the update. */
  rank: number;
  /** The update is scaled by alpha / r. */
  alpha: number;
  targets: readonly AdapterTarget[];
}

/** One adapted projection within one of the decoder's packed matrices. */
interface Slot {
  /** `model.layers.0.self_attn.q_proj`. */
  module: string;
  first: number;
  width: number;
  inputs: number;
  adapted: boolean;
}

/**
 * Low-rank adapters (LoRA, Hu et al. 2021): y = x W + (alpha / r) x A B, with W frozen, A [inputs, r] drawn uniformly
 * from +-1/sqrt(inputs) and B [r, outputs] zero, so that a fresh adapter changes nothing.
 */
export class Adapters {
  /** `<module>.lora_A` [inputs, r] and `<module>.lora_B` [r, outputs]. */
  readonly parameters = new Map<string, tf.Variable>();
  private readonly slots = new Map<string, Slot[]>();

  /** @param weights of adapters that were trained before, by parameter name; fresh ones when null */
  constructor(
    config: ModelConfig,
    readonly options: AdapterOptions,
    random: RandomStream,
    weights: ReadonlyMap<string, Float32Array> | null = null,
  ) {
    for (const [name, shape] of parameterShapes(config)) {
      const slots = slotsOf(config, name, shape, options.targets);
      if (slots.some(({ adapted }) => adapted)) this.slots.set(name, slots);
      for (const { module, width, inputs, adapted } of slots) {
        if (!adapted) continue;
        const bound = 1 / Math.sqrt(inputs);
        const drawn = () =>
          Float32Array.from({ length: inputs * options.rank }, () => bound * (2 * random.uniform() - 1));
        this.add(`${module}.lora_A`, [inputs, options.rank], weights, drawn);
        this.add(`${module}.lora_B`, [options.rank, width], weights, () => new Float32Array(options.rank * width));
      }
    }
    if (this.parameters.size === 0)
      throw new InputError('LoRA without a target.', `Name some of ${ADAPTER_TARGETS.join(', ')}.`);
  }

  /** What the adapters add to the product of `x` with one of the decoder's matrices; null when it has none. */
  delta(x: tf.Tensor2D, name: string): tf.Tensor2D | null {
    const slots = this.slots.get(name);
    if (!slots) return null;
    const scale = this.options.alpha / this.options.rank;
    const parts = slots.map(({ module, width, adapted }) =>
      adapted
        ? tf.matMul(tf.matMul(x, this.part(module, 'A')), this.part(module, 'B')).mul<tf.Tensor2D>(scale)
        : tf.zeros<tf.Rank.R2>([x.shape[0], width]),
    );
    return parts.length === 1 ? parts[0] : (tf.concat(parts, 1) as tf.Tensor2D);
  }

  /** One of the decoder's matrices [inputs, outputs] with its adapters added. */
  async merged(name: string, weights: Float32Array): Promise<Float32Array> {
    const slots = this.slots.get(name);
    if (!slots) return weights;
    const outputs = slots.reduce((sum, { width }) => sum + width, 0);
    const merged = Float32Array.from(weights);
    const scale = this.options.alpha / this.options.rank;
    for (const { module, first, width, inputs, adapted } of slots) {
      if (!adapted) continue;
      const update = tf.tidy(() => tf.matMul(this.part(module, 'A'), this.part(module, 'B')).mul(scale));
      const values = Float32Array.from(await update.data());
      update.dispose();
      for (let i = 0; i < inputs; i++) {
        for (let column = 0; column < width; column++)
          merged[i * outputs + first + column] += values[i * width + column];
      }
    }
    return merged;
  }

  dispose(): void {
    for (const variable of this.parameters.values()) variable.dispose();
  }

  private part(module: string, which: 'A' | 'B'): tf.Tensor2D {
    return this.parameters.get(`${module}.lora_${which}`) as unknown as tf.Tensor2D;
  }

  private add(
    name: string,
    shape: [number, number],
    weights: ReadonlyMap<string, Float32Array> | null,
    fresh: () => Float32Array,
  ): void {
    const data = weights ? weights.get(name) : fresh();
    if (data?.length !== shape[0] * shape[1]) {
      throw new InputError(
        `The adapter "${name}" has ${data?.length ?? 'no'} numbers where its shape [${shape}] needs ${shape[0] * shape[1]}.`,
      );
    }
    const initial = tf.tensor2d(data, shape);
    this.parameters.set(name, tf.variable(initial));
    initial.dispose();
  }
}

function slotsOf(
  config: ModelConfig,
  name: string,
  shape: readonly number[],
  targets: readonly AdapterTarget[],
): Slot[] {
  if (shape.length < 2 || !name.startsWith('layers.')) return [];
  const [inputs, outputs] = shape;
  let first = 0;
  return publishedWidths(config, name, outputs).map((width, i) => {
    const module = publishedNames(name)[i].replace(/\.weight$/, '');
    const slot = { module, first, width, inputs, adapted: targets.some((target) => module.endsWith(`.${target}`)) };
    first += width;
    return slot;
  });
}
