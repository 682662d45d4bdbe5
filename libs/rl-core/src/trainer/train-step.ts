import { type AdamW, cosineWithWarmup, type Decoder, type Sequence, scoreSequences } from '@capo/model';
import { stream } from '@capo/samples';
import { focusedPrompts } from '../advantages/codapo.js';
import type { NoiseMaskThresholds } from '../advantages/noise-mask.js';
import { type BatchAdvantages, batchAdvantages, maskOf } from '../methods/batch-advantages.js';
import type { ResolvedMethod } from '../methods/resolve-method.js';
import type { TokenisedProblem, TrainingTask } from '../tasks/task.js';
import type { RlConfig } from './config.js';
import { sampleDynamically } from './dynamic-sampling.js';
import { type Objective, type UpdateReport, updatePolicy } from './policy-update.js';
import { meanOf, type Rollout, rollOut, sequencesOf } from './rollout.js';
import { StepFailure } from './step-failure.js';
import { loggable } from './step-log.js';
import { type StepMetrics, stepMetrics } from './step-metrics.js';
import { furtherProblems, problemsOfStep } from './step-problems.js';
import { perplexities } from './thresholds.js';

/** What all steps of a run share. */
export interface StepContext {
  policy: Decoder;
  /** The base model; null when the method does not look at it. */
  reference: Decoder | null;
  optimizer: AdamW;
  task: TrainingTask;
  config: RlConfig;
  method: ResolvedMethod;
  thresholds: NoiseMaskThresholds | null;
  seed: number;
}

/** A rollout with all that an update on it needs. */
interface WeighedRollout {
  rollout: Rollout;
  sequences: Sequence[];
  referenceLogprobs: Float32Array[] | null;
  batch: BatchAdvantages;
  /** The advantages anew, from other length-normalised log-probabilities. */
  weigh(lpm: Float64Array): BatchAdvantages;
}

/** One batch: draw, grade, weigh, and work through it once in minibatches; with CoDaPO's focus, a second, smaller one. */
export async function trainStep(context: StepContext, step: number): Promise<StepMetrics> {
  const { config, method } = context;
  const learningRate = config.learningRate * rateAt(config, step);
  const { all, kept } = await drawGroups(context, step);
  const weighed = weighRollout(context, kept, step);
  const updates = updateOn(context, weighed, learningRate, step);
  if (method.method.name === 'codapo' && method.method.focus !== 'none' && weighed.batch.promptWeights) {
    const { share, repeats } = method.method.focus;
    const focused = focusedPrompts(weighed.batch.promptWeights, share);
    const problems = focused.flatMap((i) => Array<TokenisedProblem>(repeats).fill(kept.problems[i]));
    const rollout = await draw(context, problems, 'focused-rollout', step, 0);
    updates.push(...updateOn(context, weighRollout(context, rollout, step), learningRate, step));
  }
  return stepMetrics(step, all, kept.problems.length, weighed.batch, updates, learningRate);
}

/** The share of the learning rate at a step: a linear warm-up, then the schedule. */
function rateAt({ schedule, steps, warmupSteps }: RlConfig, step: number): number {
  if (schedule === 'cosine') return cosineWithWarmup(step, steps, warmupSteps);
  const warmup = Math.min(1, (step + 1) / Math.max(1, warmupSteps));
  if (schedule === 'constant' || step < warmupSteps) return warmup;
  return (steps - step) / Math.max(1, steps - warmupSteps);
}

/** The step's groups: all that were drawn, and those that it learns from. */
async function drawGroups(context: StepContext, step: number): Promise<{ all: Rollout; kept: Rollout }> {
  const { task, config, method, seed } = context;
  const count = config.promptsPerStep;
  const own = () => draw(context, problemsOfStep(task.trainingPool, step, count, seed), 'rollout', step, 0);
  if (method.options.groupsWithoutSignal !== 'resample') {
    const rollout = await own();
    return { all: rollout, kept: rollout };
  }
  return sampleDynamically(count, method.options.resampleRounds, (round) =>
    round === 0
      ? own()
      : draw(context, furtherProblems(task.trainingPool, step, round, count, seed), 'rollout', step, round * count),
  );
}

/** @param firstPlace of the problems within the step, so that no two draws share a stream */
function draw(
  { policy, task, config, seed }: StepContext,
  problems: readonly TokenisedProblem[],
  purpose: string,
  step: number,
  firstPlace: number,
): Promise<Rollout> {
  return rollOut(policy, task, problems, {
    draws: config.groupSize,
    temperature: config.temperature,
    randomOf: (problem, drawIndex, place) => stream(seed, purpose, step, firstPlace + place, problem.id, drawIndex),
  });
}

function weighRollout(context: StepContext, rollout: Rollout, step: number): WeighedRollout {
  const { reference, config, method, task, thresholds } = context;
  const sequences = sequencesOf(rollout);
  const scored = (temperature: number) => reference && scoreSequences(reference, sequences, temperature);
  // The mask's perplexity is that of the model as it stands; a KL term compares what was sampled from.
  const raw = maskOf(method.method) === 'none' ? null : scored(1);
  const referenceLogprobs =
    method.options.kl === 'none' ? null : config.temperature === 1 && raw ? raw : scored(config.temperature);
  const weigh = (lpm: Float64Array) =>
    batchAdvantages(
      method,
      {
        groupSize: rollout.draws,
        rewards: rollout.rewards,
        lpm,
        referencePerplexity: raw && perplexities(raw),
        ends: {
          lengths: rollout.drawn.map(({ tokens }) => tokens.length),
          truncated: rollout.drawn.map(({ stop }) => (stop === 'length' ? 1 : 0)),
          maxTokens: task.maxResponseTokens,
        },
        progress: step / config.steps,
      },
      thresholds,
    );
  return { rollout, sequences, referenceLogprobs, batch: weigh(rollout.lpm), weigh };
}

/** Works through a rollout in minibatches, once per epoch. @throws StepFailure when loss or gradient is not finite */
function updateOn(
  { policy, optimizer, config, method }: StepContext,
  { rollout, sequences, referenceLogprobs, batch, weigh }: WeighedRollout,
  learningRate: number,
  step: number,
): UpdateReport[] {
  const objective = objectiveOf(method);
  const perUpdate = config.minibatchPrompts * rollout.draws;
  const ofCurrent = method.method.name === 'capo' && method.method.lpmOf === 'current';
  const updates: UpdateReport[] = [];
  let { advantages, excluded } = batch;
  const starts = Array.from({ length: Math.ceil(sequences.length / perUpdate) }, (_, i) => i * perUpdate);
  const passes = Array.from({ length: config.epochs }, () => starts).flat();
  for (const [pass, start] of passes.entries()) {
    const end = start + perUpdate;
    if (ofCurrent && pass > 0) {
      const lpm = scoreSequences(policy, sequences, config.temperature).map(meanOf);
      ({ advantages, excluded } = weigh(Float64Array.from(lpm)));
    }
    const drawn = rollout.drawn.slice(start, end);
    const minibatch = {
      sequences: sequences.slice(start, end),
      oldLogprobs: drawn.map(({ logprobs }) => logprobs),
      advantages: advantages.subarray(start, end),
      excluded: excluded?.subarray(start, end) ?? null,
      referenceLogprobs: referenceLogprobs?.slice(start, end) ?? null,
      entropies: drawn.map(({ entropies }) => entropies),
    };
    const report = updatePolicy(policy, optimizer, minibatch, learningRate, objective, config.temperature);
    if (!Number.isFinite(report.loss) || !Number.isFinite(report.gradientNorm)) {
      throw new StepFailure({
        step,
        loss: loggable(report.loss),
        gradientNorm: loggable(report.gradientNorm),
        learningRate,
        problems: rollout.problems.map(({ id }) => id),
        rewards: Array.from(rollout.rewards, loggable),
        lpm: Array.from(rollout.lpm, loggable),
        advantages: Array.from(advantages, loggable),
        responses: rollout.responses,
      });
    }
    updates.push(report);
  }
  return updates;
}

/** The objective of a method. */
function objectiveOf({ method, options }: ResolvedMethod): Objective {
  return { ...options, simko: method.name === 'simko' ? method : null };
}
