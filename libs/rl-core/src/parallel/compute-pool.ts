import { sampleBatch, tf } from '@capo/model';
import { stream } from '@capo/samples';
import type { Compute, MinibatchGradients, ModelRole, Models, Sampler } from './compute.js';
import { ComputeThread } from './compute-thread.js';
import { requestShards } from './shards.js';
import { publishWeights, type SharedModels, shareModels } from './shared-models.js';
import { perform, type Task, type TaskOf, type TaskResults } from './task.js';

/**
 * Computes with the calling thread and as many more as make up `workers`, each with a backend of its own. With one
 * worker no thread is started; the shards and their sums are the same.
 *
 * @param workers threads that compute, this one included
 */
export function createCompute(models: Models, workers: number): Compute {
  const shared = workers > 1 ? shareModels(models) : null;
  const threads = shared ? Array.from({ length: workers - 1 }, () => new ComputeThread(shared)) : [];
  return new ComputePool(models, shared, threads);
}

/** Draws with one decoder in this thread, for callers that train nothing. */
export function samplerOf(decoder: Models['policy']): Sampler {
  return async (requests, options) =>
    sampleBatch(
      decoder,
      requests.map(({ prompt, stream: name }) => ({ prompt, random: stream(...name) })),
      options,
    );
}

class ComputePool implements Compute {
  private version = 0;
  private published = 0;

  constructor(
    private readonly models: Models,
    private readonly shared: SharedModels | null,
    private readonly threads: readonly ComputeThread[],
  ) {}

  async sample(role: ModelRole, ...[requests, options]: Parameters<Sampler>): ReturnType<Sampler> {
    const tasks = requestShards(requests.length).map(([start, end]) => ({
      kind: 'sample' as const,
      role,
      requests: requests.slice(start, end),
      options,
    }));
    return (await this.spread(tasks)).flat();
  }

  async score(role: ModelRole, sequences: Parameters<Compute['score']>[1], temperature: number) {
    const tasks = requestShards(sequences.length).map(([start, end]) => ({
      kind: 'score' as const,
      role,
      sequences: sequences.slice(start, end),
      temperature,
    }));
    return (await this.spread(tasks)).flat();
  }

  async gradients(shards: Parameters<Compute['gradients']>[0]): Promise<MinibatchGradients> {
    const reports: MinibatchGradients['reports'] = [];
    let sum: Float32Array | undefined;
    // Round by round, so that no more gradients are in memory than there are threads.
    for (let first = 0; first < shards.length; first += this.threads.length + 1) {
      const round = shards.slice(first, first + this.threads.length + 1);
      for (const { report, gradient } of await this.spread(
        round.map((shard) => ({ kind: 'gradient' as const, shard })),
      )) {
        reports.push(report);
        if (sum) addTo(sum, gradient);
        else sum = gradient;
      }
    }
    return { reports, gradients: this.unflatten(sum as Float32Array) };
  }

  weightsChanged(): void {
    this.version++;
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
  }

  /** Does the tasks, each thread every n-th of them, this one too; the results in the order of the tasks. */
  private async spread<K extends Task['kind']>(tasks: readonly TaskOf<K>[]): Promise<TaskResults[K][]> {
    // All threads are idle here, so nobody reads the memory that is written.
    if (this.shared && tasks.length > 1 && this.published !== this.version) {
      publishWeights(this.models.policy, this.shared);
      this.published = this.version;
    }
    const workers = this.threads.length + 1;
    const remote = tasks.map((task, i) =>
      i % workers === 0 ? null : this.threads[(i % workers) - 1].run(task, this.version),
    );
    const results: TaskResults[K][] = new Array(tasks.length);
    for (let i = 0; i < tasks.length; i += workers) results[i] = perform(this.models, tasks[i]);
    // All of them before any error, so that the threads are idle again.
    const settled = await Promise.allSettled(remote);
    settled.forEach((outcome, i) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      if (outcome.value) results[i] = outcome.value;
    });
    return results;
  }

  private unflatten(flat: Float32Array): Map<string, tf.Tensor> {
    const gradients = new Map<string, tf.Tensor>();
    let next = 0;
    for (const [name, variable] of this.models.policy.trainable) {
      gradients.set(name, tf.tensor(flat.subarray(next, next + variable.size), variable.shape));
      next += variable.size;
    }
    return gradients;
  }
}

function addTo(sum: Float32Array, other: Float32Array): void {
  for (let i = 0; i < sum.length; i++) sum[i] += other[i];
}
