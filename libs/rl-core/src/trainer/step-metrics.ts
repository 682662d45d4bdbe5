import { auc, perPromptAuc } from '@capo/calibration-metrics';
import { countGroups } from '../advantages/group-filter.js';
import type { BatchAdvantages } from '../methods/batch-advantages.js';
import type { UpdateReport } from './policy-update.js';
import { meanOf, type Rollout } from './rollout.js';
import { loggable } from './step-log.js';

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
  /** Mean over tokens of the KL estimate to the reference; null without a KL term. */
  kl: number | null;
  /** Groups whose valid rewards are all equal. */
  shareWithoutSignal: number;
  /** Responses that the noise mask dropped; 0 without a mask. */
  shareMasked: number;
  /** Responses cut off by the length limit. */
  shareTruncated: number;
  /** Responses whose grader failed, which were left out. */
  ungraded: number;
  /** Groups left with fewer than two graded responses, which have advantage 0. */
  groupsTooSmall: number;
  /** Groups that were drawn, those included that dynamic sampling dropped. */
  groupsDrawn: number;
  /** Groups that the step learnt from. */
  groupsKept: number;
  learningRate: number;
  /** Prompt and response tokens of everything that was drawn. */
  tokens: number;
}

/**
 * The metrics of a step.
 *
 * @param rollout everything that was drawn for the step, groups that were dropped included
 * @param groupsKept groups that the step learnt from
 */
export function stepMetrics(
  step: number,
  rollout: Rollout,
  groupsKept: number,
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
  const counts = countGroups(rollout.rewards, rollout.draws);
  // A step that dynamic sampling left without any group has no update.
  const average = (of: (report: UpdateReport) => number) => (updates.length === 0 ? 0 : meanOf(updates.map(of)));
  const kl = updates.flatMap((update) => update.kl ?? []);
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
    kl: loggable(meanOf(kl)),
    shareWithoutSignal: counts.withoutSignal / counts.groups,
    shareMasked: mask && mask.length > 0 ? meanOf(mask.map((keep) => 1 - keep)) : 0,
    shareTruncated: meanOf(rollout.drawn.map(({ stop }) => (stop === 'length' ? 1 : 0))),
    ungraded: counts.dropped,
    groupsTooSmall: counts.tooSmall,
    groupsDrawn: counts.groups,
    groupsKept,
    learningRate,
    tokens: rollout.drawn.reduce(
      (sum, { tokens }, i) => sum + tokens.length + rollout.problems[Math.floor(i / rollout.draws)].promptTokens.length,
      0,
    ),
  };
}
