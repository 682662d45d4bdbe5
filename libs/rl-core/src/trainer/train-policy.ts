import { auc, perPromptAuc } from '@capo/calibration-metrics';
import { AdamW, type Decoder } from '@capo/model';
import { ExternalError, InputError, permutation, type RunFolder, stream } from '@capo/samples';
import type { NoiseMaskThresholds } from '../advantages/noise-mask.js';
import { type BatchAdvantages, batchAdvantages, needsReference } from '../methods.js';
import type { TokenisedProblem, TrainingTask } from '../tasks/task.js';
import { createDecoder } from './base-model.js';
import { loadCheckpoint, saveCheckpoint } from './checkpoint.js';
import type { TrainConfig } from './config.js';
import { evaluateSuites, writeSamples } from './evaluate.js';
import { type TrainerHooks, yieldBetweenSteps } from './hooks.js';
import { saveWeights } from './model-file.js';
import { type UpdateReport, updatePolicy } from './policy-update.js';
import { meanOf, type Rollout, rollOut, sequencesOf } from './rollout.js';
import { loggable, openStepLog } from './step-log.js';
import { baseThresholds, referencePerplexity } from './thresholds.js';

/** One line of `metrics.jsonl`: what one training step saw and did. See docs/methods for the meaning of each. */
export interface StepMetrics {
  step: number;
  reward: number | null;
  accuracy: number | null;
  auc: number | null;
  perPromptAuc: number | null;
  perplexityRight: number | null;
  perplexityWrong: number | null;
  entropy: number | null;
  loss: number;
  gradientNorm: number;
  clipFraction: number;
  /** Groups whose valid rewards are all equal. */
  shareWithoutSignal: number;
  /** Responses that the noise mask dropped; 0 without a mask. */
  shareMasked: number;
  /** Responses cut off by the length limit. */
  shareTruncated: number;
  /** Responses whose grader failed, which were left out. */
  ungraded: number;
  learningRate: number;
}

/** The problems of a step: the pool in a fresh order every epoch, a function of seed and step alone. */
export function problemsOfStep(
  pool: readonly TokenisedProblem[],
  step: number,
  count: number,
  seed: number,
): TokenisedProblem[] {
  const problems: TokenisedProblem[] = [];
  const orders = new Map<number, Int32Array>();
  for (let i = step * count; i < (step + 1) * count; i++) {
    const epoch = Math.floor(i / pool.length);
    let order = orders.get(epoch);
    if (!order) {
      order = permutation(pool.length, stream(seed, 'prompt-order', epoch));
      orders.set(epoch, order);
    }
    problems.push(pool[order[i % pool.length]]);
  }
  return problems;
}

/**
 * Trains a policy from a base model with one method. A half-done folder is continued from its checkpoint and ends in
 * the same bytes. Writes `metrics.jsonl` (one line a step), `timings.jsonl` (seconds a step, apart because they are
 * never the same twice), `evaluations.jsonl`, and at the end `samples.jsonl` and `model.safetensors`.
 *
 * @param base the base model's weights; also the reference of the noise mask
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
    while (step < config.steps) {
      const started = performance.now();
      if (step % config.evaluateEvery === 0) await evaluate(false);
      const metrics = await trainStep(policy, reference, optimizer, task, config, thresholds, step, seed);
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
  if (method.name !== 'capo' || method.mask === 'none') return null;
  return typeof method.mask === 'string' ? baseThresholds(method.mask, reference, task, seed) : method.mask;
}

/** One batch: draw, grade, weigh, and work through it once in minibatches. */
async function trainStep(
  policy: Decoder,
  reference: Decoder | null,
  optimizer: AdamW,
  task: TrainingTask,
  config: TrainConfig,
  thresholds: NoiseMaskThresholds | null,
  step: number,
  seed: number,
): Promise<StepMetrics> {
  const { groupSize, clipRatio } = config;
  const rollout = await rollOut(policy, task, problemsOfStep(task.trainingPool, step, config.promptsPerStep, seed), {
    draws: groupSize,
    temperature: config.temperature,
    randomOf: (problem, draw, place) => stream(seed, 'rollout', step, place, problem.id, draw),
  });
  const batch = batchAdvantages(
    config.method,
    {
      groupSize,
      rewards: rollout.rewards,
      lpm: rollout.lpm,
      referencePerplexity: reference && referencePerplexity(reference, rollout),
    },
    thresholds,
  );
  const learningRate = config.learningRate * Math.min(1, (step + 1) / Math.max(1, config.warmupSteps));
  const sequences = sequencesOf(rollout);
  const perUpdate = config.minibatchPrompts * groupSize;
  const updates: UpdateReport[] = [];
  for (let start = 0; start < sequences.length; start += perUpdate) {
    const end = start + perUpdate;
    const minibatch = {
      sequences: sequences.slice(start, end),
      oldLogprobs: rollout.drawn.slice(start, end).map(({ logprobs }) => logprobs),
      advantages: batch.advantages.subarray(start, end),
    };
    const report = updatePolicy(policy, optimizer, minibatch, learningRate, clipRatio, config.temperature);
    if (!Number.isFinite(report.loss) || !Number.isFinite(report.gradientNorm)) {
      throw new ExternalError(
        `Step ${step}: the loss is ${report.loss} and the gradient's norm ${report.gradientNorm}; nothing was changed.`,
        'Try a smaller learning rate; the run goes on from its last checkpoint.',
      );
    }
    updates.push(report);
  }
  return stepMetrics(step, rollout, batch, updates, learningRate);
}

function stepMetrics(
  step: number,
  rollout: Rollout,
  { mask }: BatchAdvantages,
  updates: readonly UpdateReport[],
  learningRate: number,
): StepMetrics {
  const graded = [...rollout.rewards.keys()].filter((i) => !Number.isNaN(rollout.rewards[i]));
  const scored = graded.filter((i) => !Number.isNaN(rollout.lpm[i]));
  const labels = scored.map((i) => rollout.rewards[i]);
  const lpm = scored.map((i) => rollout.lpm[i]);
  const prompts = scored.map((i) => Math.floor(i / rollout.draws));
  const perplexity = (label: number) =>
    meanOf(lpm.filter((_, i) => labels[i] === label).map((value) => Math.exp(-value)));
  const groups = rollout.problems.map((_, g) => rollout.rewards.subarray(g * rollout.draws, (g + 1) * rollout.draws));
  const withoutSignal = groups.filter((rewards) => new Set(rewards.filter((reward) => !Number.isNaN(reward))).size < 2);
  const average = (of: (report: UpdateReport) => number) => meanOf(updates.map(of));
  const reward = loggable(meanOf(graded.map((i) => rollout.rewards[i])));
  return {
    step,
    reward,
    accuracy: reward,
    auc: auc(lpm, labels).value,
    perPromptAuc: perPromptAuc(lpm, labels, prompts).value,
    perplexityRight: loggable(perplexity(1)),
    perplexityWrong: loggable(perplexity(0)),
    entropy: loggable(meanOf(rollout.drawn.flatMap(({ entropies }) => [...entropies]))),
    loss: average(({ loss }) => loss),
    gradientNorm: average(({ gradientNorm }) => gradientNorm),
    clipFraction: average((report) => report.clipFraction),
    shareWithoutSignal: withoutSignal.length / groups.length,
    shareMasked: mask ? meanOf(mask.map((keep) => 1 - keep)) : 0,
    shareTruncated: meanOf(rollout.drawn.map(({ stop }) => (stop === 'length' ? 1 : 0))),
    ungraded: rollout.rewards.length - graded.length,
    learningRate,
  };
}
