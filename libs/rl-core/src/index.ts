/** Training tasks: what a trainer needs to know of a benchmark. */
export type { TokenisedProblem, TrainingTask } from './tasks/task.js';
export { toyTask, toyTaskSchema } from './tasks/toy.js';
export { type TextTaskOptions, textTask } from './tasks/text.js';

/** Methods and their options. */
export { METHOD_NAMES, type Method, type MethodName, methodSchema } from './methods/method-schema.js';
export {
  type MethodSurroundings,
  methodHeader,
  type ResolvedMethod,
  type ResolvedOptions,
  resolveMethod,
} from './methods/resolve-method.js';
export {
  type BatchAdvantages,
  batchAdvantages,
  type GroupedRewards,
  needsReference,
  type ResponseEnds,
} from './methods/batch-advantages.js';

/** Advantages, one file per method, and what they are made of. */
export { type GrpoAdvantageOptions, grpoAdvantages } from './advantages/grpo.js';
export { drGrpoAdvantages } from './advantages/dr-grpo.js';
export { rlooAdvantages } from './advantages/rloo.js';
export { overlongPenalty } from './advantages/overlong-penalty.js';
export { codapoWeight, focusedPrompts } from './advantages/codapo.js';
export { type CdeBonusOptions, cdeRewards, type Stair, staircaseWeight } from './advantages/cde.js';
export { forkingTokens, topTokens } from './advantages/simko.js';
export { type CapoAdvantageOptions, capoAdvantages } from './advantages/capo.js';
export {
  pairWeight,
  SURROGATES,
  type Surrogate,
  surrogateValue,
  surrogateWeight,
} from './advantages/surrogate.js';
export { type NoiseMaskThresholds, noiseMask } from './advantages/noise-mask.js';
export { batchDeviationScale, groupDeviationScale, rootMeanSquareScale } from './advantages/scale.js';
export { collectRewards, countGroups, type GroupCounts } from './advantages/group-filter.js';

/** Objectives: ratios, the clip, aggregation, the KL term. */
export { type ClipRange, clipFraction, clippedLoss, type TokenRows, tokenRatio } from './objectives/clipped.js';
export { type RowLayout, sequenceRatio } from './objectives/sequence-ratio.js';
export { type Aggregation, type AggregationWeights, aggregationOf } from './objectives/aggregation.js';
export { type KlEstimator, type KlOptions, klTerms } from './objectives/kl.js';
export { simkoRatio } from './objectives/simko-ratio.js';

/** Rollouts and updates. */
export { meanOf, type Rollout, rewardOf, rollOut, sequencesOf } from './trainer/rollout.js';
export {
  type Minibatch,
  type Objective,
  type SimkoOptions,
  type UpdateReport,
  updatePolicy,
} from './trainer/policy-update.js';

/** Training runs: configuration, base model, policy, evaluation, logs. */
export {
  type BaseModelConfig,
  baseModelSchema,
  decoderConfig,
  type ModelTrainConfig,
  modelTrainSchema,
  type RlConfig,
  type TrainConfig,
  trainSchema,
} from './trainer/config.js';
export type { TrainerHooks } from './trainer/hooks.js';
export { createDecoder, trainBaseModel } from './trainer/base-model.js';
export { loadWeights } from './trainer/model-file.js';
export { type PolicySource, pretrainedSource, toyPolicySource } from './trainer/policy-source.js';
export { trainPolicy } from './trainer/train-policy.js';
export type { StepMetrics } from './trainer/step-metrics.js';
export { problemsOfStep } from './trainer/step-problems.js';
export { type EvaluationLine, type EvaluationOptions, evaluateSuites } from './trainer/evaluate.js';
export { type SuiteMetrics, suiteMetrics } from './trainer/suite-metrics.js';
export { readStepLog } from './trainer/step-log.js';
