import { AdamW, type Decoder } from '@capo/model';
import { InputError, type RunFolder, toJsonDocument, writeFileAtomic } from '@capo/samples';
import type { NoiseMaskThresholds } from '../advantages/noise-mask.js';
import { maskOf, needsReference } from '../methods/batch-advantages.js';
import { methodHeader, resolveMethod } from '../methods/resolve-method.js';
import type { TrainingTask } from '../tasks/task.js';
import { createDecoder } from './base-model.js';
import { loadCheckpoint, saveCheckpoint } from './checkpoint.js';
import type { TrainConfig } from './config.js';
import { evaluateSuites, writeSamples } from './evaluate.js';
import { type TrainerHooks, yieldBetweenSteps } from './hooks.js';
import { saveWeights } from './model-file.js';
import { openStepLog } from './step-log.js';
import { baseThresholds } from './thresholds.js';
import { trainStep } from './train-step.js';

/**
 * Trains a policy from a base model with one method. A half-done folder is continued from its checkpoint and ends in
 * the same bytes. Writes `method.json` (the method with every option decided),
 * `metrics.jsonl` (one line a step), `timings.jsonl` (seconds a step, apart because they are
 * never the same twice), `evaluations.jsonl`, and at the end `samples.jsonl` and `model.safetensors`.
 *
 * @param base the base model's weights; also the reference of the noise mask and of a KL term
 */
export async function trainPolicy(
  folder: RunFolder,
  config: TrainConfig,
  task: TrainingTask,
  base: ReadonlyMap<string, Float32Array>,
  hooks: TrainerHooks = {},
): Promise<void> {
  if (task.trainingPool.length === 0) throw new InputError('The training pool has no problems.', 'Give it some.');
  const { seed, configHash } = folder.manifest;
  const checkpointPath = folder.file('checkpoint.safetensors');
  const checkpoint = loadCheckpoint(checkpointPath, configHash);
  const policy = createDecoder(config.base, task, checkpoint?.weights ?? base, seed);
  const method = resolveMethod(config.method, { clipRatio: config.clipRatio, maxTokens: task.maxResponseTokens });
  writeFileAtomic(folder.file('method.json'), toJsonDocument(methodHeader(method)));
  const reference = needsReference(config.method) ? createDecoder(config.base, task, base, seed) : null;
  const optimizer = new AdamW(policy.parameters, config.optimizer);
  if (checkpoint) optimizer.restore(checkpoint.optimizer);
  let step = checkpoint?.step ?? 0;
  const logs = {
    metrics: openStepLog(folder.file('metrics.jsonl'), step),
    timings: openStepLog(folder.file('timings.jsonl'), step),
    evaluations: openStepLog(folder.file('evaluations.jsonl'), step),
  };
  const save = () => saveCheckpoint(checkpointPath, configHash, step, policy, optimizer);
  const evaluate = async (keepSamples: boolean) => {
    const run = `${config.method.name}-${configHash.slice(0, 8)}`;
    const options = { run, seed, step, draws: config.evaluationDraws, temperature: config.temperature };
    const { lines, samples } = await evaluateSuites(policy, task, options);
    if (keepSamples) writeSamples(folder.file('samples.jsonl'), samples);
    logs.evaluations.append(...lines);
  };
  try {
    const thresholds = reference ? await maskThresholds(config, reference, task, seed) : null;
    const context = { policy, reference, optimizer, task, config, method, thresholds, seed };
    while (step < config.steps) {
      const started = performance.now();
      if (step % config.evaluateEvery === 0) await evaluate(false);
      const metrics = await trainStep(context, step);
      logs.metrics.append(metrics);
      logs.timings.append({ step, seconds: (performance.now() - started) / 1000 });
      step++;
      if (step % config.checkpointEvery === 0) await save();
      hooks.onProgress?.(step, config.steps, `accuracy ${metrics.accuracy?.toFixed(3) ?? 'n/a'}`);
      await yieldBetweenSteps(hooks, save);
    }
    await evaluate(true);
    await saveWeights(folder.path, policy);
    folder.finish({ maskThresholds: thresholds });
  } finally {
    for (const log of Object.values(logs)) log.close();
    for (const item of [optimizer, policy, reference]) item?.dispose();
  }
}

async function maskThresholds(
  { method }: TrainConfig,
  reference: Decoder,
  task: TrainingTask,
  seed: number,
): Promise<NoiseMaskThresholds | null> {
  const mask = maskOf(method);
  if (mask === 'none') return null;
  return typeof mask === 'object' && 'low' in mask ? mask : baseThresholds(mask, reference, task, seed);
}
