import {
  AdamW,
  cosineWithWarmup,
  Decoder,
  initialWeights,
  lossAndGradients,
  packSequences,
  scoreBatch,
  type tf,
} from '@capo/model';
import { ExternalError, type RunFolder, stream, toJsonLine, writeFileAtomic } from '@capo/samples';
import type { TrainingTask } from '../tasks/task.js';
import { Checkpoints } from './checkpoint.js';
import { type BaseModelConfig, decoderConfig } from './config.js';
import { evaluateSuites, writeSamples } from './evaluate.js';
import { type TrainerHooks, yieldBetweenSteps } from './hooks.js';
import { saveWeights } from './model-file.js';
import { loggable, openStepLog } from './step-log.js';

/** The decoder of a base model with the weights given, or with fresh ones. */
export function createDecoder(
  config: BaseModelConfig,
  task: TrainingTask,
  weights: ReadonlyMap<string, Float32Array> | null,
  seed: number,
): Decoder {
  const longest = [...task.trainingPool, ...task.validation, ...Object.values(task.suites).flat()].reduce(
    (length, { promptTokens }) => Math.max(length, promptTokens.length),
    0,
  );
  const model = decoderConfig(config.model, task.vocabSize, longest + task.maxResponseTokens);
  return new Decoder(model, weights ?? initialWeights(model, stream(seed, 'initial-weights')));
}

/**
 * Trains a base model on the texts of its task by maximum likelihood, with the mean over response tokens as loss. A
 * half-done folder is continued from its checkpoint and ends in the same bytes. Writes `metrics.jsonl` (step, loss,
 * learning rate, norm of the gradient) and, at the end, `model.safetensors`, and `samples.jsonl` and
 * `evaluations.jsonl` of every suite.
 *
 * @throws ExternalError when the loss is no longer finite
 */
export async function trainBaseModel(
  folder: RunFolder,
  config: BaseModelConfig,
  task: TrainingTask,
  hooks: TrainerHooks = {},
): Promise<void> {
  const { seed, configHash } = folder.manifest;
  const checkpoints = new Checkpoints(folder, 1);
  const checkpoint = checkpoints.load();
  const decoder = createDecoder(config, task, checkpoint?.weights ?? null, seed);
  const optimizer = new AdamW(decoder.parameters, config.optimizer);
  if (checkpoint) optimizer.restore(checkpoint.optimizer);
  let step = checkpoint?.step ?? 0;
  const log = openStepLog(folder.file('metrics.jsonl'), step);
  const save = () => checkpoints.save(step, decoder, optimizer);
  try {
    while (step < config.steps) {
      const random = stream(seed, 'text', step);
      const batch = packSequences(Array.from({ length: config.batchSize }, () => task.text(random)));
      const mean = () => scoreBatch(decoder, batch).logprob.mean().neg() as tf.Scalar;
      const { loss, gradients } = lossAndGradients(decoder.parameters, mean);
      const learningRate = config.learningRate * cosineWithWarmup(step, config.steps, config.warmupSteps);
      const gradientNorm = optimizer.update(gradients, learningRate);
      if (!Number.isFinite(loss) || !Number.isFinite(gradientNorm)) {
        throw new ExternalError(`The base model's loss is ${loss} at step ${step}.`, 'Try a smaller learning rate.');
      }
      log.append({ step, loss: loggable(loss), learningRate, gradientNorm });
      step++;
      if (step % config.checkpointEvery === 0) await save();
      hooks.onProgress?.(step, config.steps, `loss ${loss.toFixed(3)}`);
      await yieldBetweenSteps(hooks, save);
    }
    await saveWeights(folder.path, decoder);
    const run = `base-${configHash.slice(0, 8)}`;
    const options = { run, seed, step: 0, draws: config.evaluationDraws, temperature: 1 };
    const { lines, samples } = await evaluateSuites(decoder, task, options);
    writeSamples(folder.file('samples.jsonl'), samples);
    writeFileAtomic(folder.file('evaluations.jsonl'), lines.map((line) => `${toJsonLine(line)}\n`).join(''));
    folder.finish();
  } finally {
    log.close();
    optimizer.dispose();
    decoder.dispose();
  }
}
