import { AdamW } from '@capo/model';
import { InputError, type RunFolder, toJsonDocument, writeFileAtomic } from '@capo/samples';
import { needsReference } from '../methods/batch-advantages.js';
import { methodHeader, resolveMethod } from '../methods/resolve-method.js';
import type { TrainingTask } from '../tasks/task.js';
import { bestSoFar, VALIDATION } from './best-policy.js';
import { Checkpoints } from './checkpoint.js';
import type { RlConfig } from './config.js';
import { type EvaluationLine, evaluateSuites, writeSamples } from './evaluate.js';
import { type TrainerHooks, yieldBetweenSteps } from './hooks.js';
import type { PolicySource } from './policy-source.js';
import { progressLine } from './progress-line.js';
import { StepFailure } from './step-failure.js';
import { openStepLog, readStepLog } from './step-log.js';
import { openTensorBoard } from './tensorboard.js';
import { maskThresholds } from './thresholds.js';
import { trainStep } from './train-step.js';

/**
 * Trains a policy with one method. A half-done folder is continued from its last checkpoint and ends in the same
 * bytes. Writes `method.json` (the method with every option decided), `metrics.jsonl` (one line a step),
 * `timings.jsonl` (seconds a step, apart because they are never the same twice), `tensorboard/` (the same for
 * TensorBoard), `evaluations.jsonl`, at the end `samples.jsonl` and the policy, and with a metric to choose by the best
 * policy so far under `best/`.
 *
 * @throws StepFailure when a loss or gradient is not finite; `failed-step.json` then holds the step
 */
export async function trainPolicy(
  folder: RunFolder,
  config: RlConfig,
  task: TrainingTask,
  source: PolicySource,
  hooks: TrainerHooks = {},
): Promise<void> {
  if (task.trainingPool.length === 0) throw new InputError('The training pool has no problems.', 'Give it some.');
  const { seed, configHash } = folder.manifest;
  const checkpoints = new Checkpoints(folder, config.keepCheckpoints);
  const checkpoint = checkpoints.load();
  const policy = source.open(checkpoint?.weights ?? null);
  const method = resolveMethod(config.method, { clipRatio: config.clipRatio, maxTokens: task.maxResponseTokens });
  writeFileAtomic(folder.file('method.json'), toJsonDocument(methodHeader(method)));
  const reference = needsReference(config.method) ? source.openReference() : null;
  const optimizer = new AdamW(policy.trainable, config.optimizer);
  if (checkpoint) optimizer.restore(checkpoint.optimizer);
  let step = checkpoint?.step ?? 0;
  const logs = {
    metrics: openStepLog(folder.file('metrics.jsonl'), step),
    timings: openStepLog(folder.file('timings.jsonl'), step),
    evaluations: openStepLog(folder.file('evaluations.jsonl'), step),
    tensorboard: openTensorBoard(folder.file('tensorboard'), step),
  };
  const evaluations: EvaluationLine[] = readStepLog(folder.file('evaluations.jsonl'));
  const save = () => checkpoints.save(step, policy, optimizer);
  /** @param isLogged of a run that ends early, whose last evaluation is in the log, and only its samples are missing */
  const evaluate = async (isLast: boolean, isLogged = false) => {
    const run = `${config.method.name}-${configHash.slice(0, 8)}`;
    const options = { run, seed, step, draws: config.evaluationDraws, temperature: config.temperature };
    const { lines, samples } = await evaluateSuites(policy, task, options);
    if (isLast) writeSamples(folder.file('samples.jsonl'), samples);
    if (isLogged) return;
    if (config.best !== 'none') {
      const validation = { ...task, suites: { [VALIDATION]: task.validation } };
      lines.push(...(await evaluateSuites(policy, validation, options)).lines);
    }
    logs.evaluations.append(...lines);
    logs.tensorboard.evaluations(step, lines);
    evaluations.push(...lines);
    await keepBest();
  };
  const keepBest = async () => {
    const best = config.best === 'none' ? null : bestSoFar(evaluations, config.best);
    if (best?.step !== step) return;
    await source.save(folder.file('best'), policy);
    writeFileAtomic(folder.file('best.json'), toJsonDocument({ step: best.step, value: best.value }));
  };
  const isStuck = () => {
    if (config.best === 'none' || config.best.patience === 0) return false;
    return (bestSoFar(evaluations, config.best)?.since ?? 0) >= config.best.patience;
  };
  try {
    const thresholds = reference ? await maskThresholds(config.method, reference, task, seed) : null;
    const context = { policy, reference, optimizer, task, config, method, thresholds, seed };
    let stoppedEarly = false;
    while (step < config.steps) {
      const started = performance.now();
      if (step % config.evaluateEvery === 0) await evaluate(false);
      stoppedEarly = isStuck();
      if (stoppedEarly) break;
      const metrics = await trainStep(context, step);
      const seconds = (performance.now() - started) / 1000;
      logs.metrics.append(metrics);
      logs.timings.append({ step, seconds });
      logs.tensorboard.metrics(step, metrics);
      step++;
      if (step % config.checkpointEvery === 0) await save();
      hooks.onProgress?.(step, config.steps, progressLine(metrics, seconds));
      await yieldBetweenSteps(hooks, save);
    }
    await evaluate(true, stoppedEarly);
    await source.save(folder.path, policy);
    folder.finish({ maskThresholds: thresholds, ...(stoppedEarly && { stoppedEarlyAt: step }) });
  } catch (error) {
    if (error instanceof StepFailure) writeFileAtomic(folder.file('failed-step.json'), toJsonDocument(error.dump));
    throw error;
  } finally {
    for (const log of Object.values(logs)) log.close();
    for (const item of [optimizer, policy, reference]) item?.dispose();
  }
}
