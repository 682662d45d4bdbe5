import type { Decoder, DrawnSequence, SamplingOptions, Sequence, tf } from '@capo/model';
import type { LossShard, ShardLoss } from '../trainer/loss-shard.js';

/** The name of a random stream: a seed and labels, so that any thread can make the stream anew. */
export type StreamName = readonly [seed: number, ...labels: (string | number)[]];

/** One response to draw, as plain data. Requests of one call with the same prompt object share its forward pass. */
export interface NamedDraw {
  prompt: Int32Array;
  stream: StreamName;
}

/** Which model is asked: the one that is trained, or the base model. */
export type ModelRole = 'policy' | 'reference';

/** What draws responses: one response per request, in their order. */
export type Sampler = (requests: readonly NamedDraw[], options: SamplingOptions) => Promise<DrawnSequence[]>;

/** The models of a run by role. */
export interface Models {
  policy: Decoder;
  /** Null when the method does not look at it. */
  reference: Decoder | null;
}

/** The gradient of a minibatch by name of what is trained, and what each of its shards reports. */
export interface MinibatchGradients {
  reports: ShardLoss[];
  /** To be disposed by whoever consumes them (`AdamW.update` does). */
  gradients: Map<string, tf.Tensor>;
}

/**
 * What a training step computes with models, by one thread or by several. Every result depends on the arguments and
 * the weights alone, to the last bit, and never on how many threads there are: the shards are the same for any number,
 * and they are summed in their order.
 */
export interface Compute {
  sample(role: ModelRole, ...call: Parameters<Sampler>): ReturnType<Sampler>;
  /** Log-probabilities of the response tokens of each sequence. */
  score(role: ModelRole, sequences: readonly Sequence[], temperature: number): Promise<Float32Array[]>;
  /** The sum of the shards' gradients with respect to what the policy trains. */
  gradients(shards: readonly LossShard[]): Promise<MinibatchGradients>;
  /** To be called after every change of the policy's weights, before the next call. */
  weightsChanged(): void;
  /** Ends the threads; the models are left to whoever made them. */
  close(): Promise<void>;
}
