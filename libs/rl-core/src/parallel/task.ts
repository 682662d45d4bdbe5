import {
  type Decoder,
  type DrawnSequence,
  type SamplingOptions,
  type Sequence,
  sampleBatch,
  scoreSequences,
} from '@capo/model';
import { stream } from '@capo/samples';
import { type LossShard, type ShardLoss, shardGradients } from '../trainer/loss-shard.js';
import type { ModelRole, Models, NamedDraw } from './compute.js';

/** One shard of work, as plain data. */
export type Task =
  | { kind: 'sample'; role: ModelRole; requests: readonly NamedDraw[]; options: SamplingOptions }
  | { kind: 'score'; role: ModelRole; sequences: readonly Sequence[]; temperature: number }
  | { kind: 'gradient'; shard: LossShard };

/** A task of one kind. */
export type TaskOf<K extends Task['kind']> = Extract<Task, { kind: K }>;

/** What each kind of task gives. */
export interface TaskResults {
  sample: DrawnSequence[];
  score: Float32Array[];
  /** The gradient as one array, parameter after parameter in the order of `policy.trainable`. */
  gradient: { report: ShardLoss; gradient: Float32Array };
}

/** Does one shard of work. The result is the same to the last bit in any thread. */
export function perform<K extends Task['kind']>(models: Models, task: TaskOf<K>): TaskResults[K];
export function perform(models: Models, task: Task): TaskResults[Task['kind']] {
  if (task.kind === 'gradient') {
    const { report, gradients } = shardGradients(models.policy, task.shard);
    return { report, gradient: flatten(models.policy, gradients) };
  }
  const model = models[task.role] as Decoder;
  if (task.kind === 'score') return scoreSequences(model, task.sequences, task.temperature);
  const requests = task.requests.map(({ prompt, stream: name }) => ({ prompt, random: stream(...name) }));
  return sampleBatch(model, requests, task.options);
}

function flatten(policy: Decoder, gradients: ReturnType<typeof shardGradients>['gradients']): Float32Array {
  const size = [...policy.trainable.values()].reduce((sum, variable) => sum + variable.size, 0);
  const flat = new Float32Array(size);
  let next = 0;
  for (const [name, variable] of policy.trainable) {
    const gradient = gradients.get(name);
    if (gradient) flat.set(gradient.dataSync(), next);
    gradient?.dispose();
    next += variable.size;
  }
  return flat;
}
