import { join } from 'node:path';
import { mathGrader, type Problem } from '@capo/benchmarks';
import { loadTokenizer, useBackend } from '@capo/model';
import {
  type BaseModelConfig,
  loadWeights,
  type ModelTrainConfig,
  pretrainedSource,
  type TrainConfig,
  type TrainerHooks,
  textTask,
  toyPolicySource,
  toyTask,
  trainBaseModel,
  trainPolicy,
} from '@capo/rl-core';
import { InputError, RunFolder } from '@capo/samples';

/** One piece of work that ends in a run folder; plain data, so that it can be given to a worker thread. */
export type Job =
  | { kind: 'base-model'; root: string; seed: number; config: BaseModelConfig }
  | { kind: 'train'; root: string; seed: number; config: TrainConfig; name?: string }
  | ModelJob;

/** Reinforcement learning from a pretrained model. What shapes the result is in `config`, by hash. */
export interface ModelJob {
  kind: 'train-model';
  root: string;
  seed: number;
  config: ModelTrainConfig;
  name?: string;
  /** The model's folder. */
  model: string;
  training: Problem[];
  suites: Record<string, Problem[]>;
}

/**
 * The run folder of a job: made when it is missing, found again by its name, or by the hash of its configuration.
 *
 * @throws InputError when a folder of that name holds a run of another configuration
 */
export function openJobFolder(job: Job): RunFolder {
  if (job.kind !== 'base-model' && job.name !== undefined) {
    return RunFolder.openNamed(join(job.root, job.name), job.kind, job.config, job.seed, 'wasm');
  }
  return RunFolder.open(job.root, job.kind, job.config, job.seed, 'wasm');
}

/**
 * Does the job unless its folder is finished. The base model of a training job must be finished before.
 *
 * @throws ExternalError when another process works in the folder
 */
export async function runJob(job: Job, hooks: TrainerHooks): Promise<void> {
  if (openJobFolder(job).finished) return;
  await RunFolder.locked(
    () => openJobFolder(job),
    (folder) => workIn(folder, job, hooks),
  );
}

async function workIn(folder: RunFolder, job: Job, hooks: TrainerHooks): Promise<void> {
  if (folder.finished) return;
  await useBackend('wasm');
  if (job.kind === 'train-model') {
    await trainPretrained(folder, job, hooks);
    return;
  }
  if (job.kind === 'base-model') {
    await trainBaseModel(folder, job.config, toyTask(job.config.task), hooks);
    return;
  }
  const base = openJobFolder(baseJobOf(job));
  if (!base.finished) throw new InputError(`The base model ${base.path} is not finished.`, 'Train it first.');
  const task = toyTask(job.config.base.task);
  await trainPolicy(
    folder,
    job.config,
    task,
    toyPolicySource(job.config.base, task, loadWeights(base.path), job.seed),
    hooks,
  );
}

/** Trains a pretrained model on problems in words, judged by the grader of all benchmarks. */
async function trainPretrained(folder: RunFolder, job: ModelJob, hooks: TrainerHooks): Promise<void> {
  const { config, model, training, suites, seed } = job;
  const { route, system, instruction, maxTokens } = config.prompt;
  const grader = mathGrader();
  try {
    const { task, tooLong } = textTask({
      tokenizer: loadTokenizer(model),
      grader,
      training,
      suites,
      validation: config.data.validation,
      route,
      system,
      instruction,
      maxPromptTokens: maxTokens,
      maxResponseTokens: config.maxResponseTokens,
    });
    folder.note({ trainingProblems: task.trainingPool.length, promptsTooLong: tooLong, grader: grader.version });
    const lora = config.lora === 'none' ? null : config.lora;
    await trainPolicy(folder, config, task, pretrainedSource(model, config.model.name, lora, seed), hooks);
  } finally {
    await grader.close();
  }
}

/** The job that makes the base model of a training job. */
export function baseJobOf(job: Job & { kind: 'train' }): Job {
  return { kind: 'base-model', root: job.root, seed: job.seed, config: job.config.base };
}

/** How many steps a job has, and what one costs beside a step of supervised training (measured: docs/performance.md). */
export function jobSize(job: Job): { steps: number; costPerStep: number } {
  return { steps: job.config.steps, costPerStep: job.kind === 'base-model' ? 1 : 5 };
}
