/** Training tasks: what a trainer needs to know of a benchmark. */
export type { TokenisedProblem, TrainingTask } from './tasks/task.js';
export { toyTask, toyTaskSchema } from './tasks/toy.js';

/** Methods and their options. */
export {
  type BatchAdvantages,
  batchAdvantages,
  type GroupedRewards,
  type Method,
  methodSchema,
  needsReference,
} from './methods.js';

/** Advantages, one file per method. */
export { type GrpoAdvantageOptions, grpoAdvantages } from './advantages/grpo.js';
export { type CapoAdvantageOptions, capoAdvantages, pairWeight } from './advantages/capo.js';
export { type NoiseMaskThresholds, noiseMask } from './advantages/noise-mask.js';
export { rootMeanSquareScale } from './advantages/scale.js';

/** Objectives. */
export { clipFraction, clippedLoss } from './objectives/clipped.js';

/** Rollouts and updates. */
export { meanOf, type Rollout, rewardOf, rollOut, sequencesOf } from './trainer/rollout.js';
export { type Minibatch, type UpdateReport, updatePolicy } from './trainer/policy-update.js';

/** Training runs: configuration, base model, policy, evaluation, logs. */
export {
  type BaseModelConfig,
  baseModelSchema,
  decoderConfig,
  type TrainConfig,
  trainSchema,
} from './trainer/config.js';
export type { TrainerHooks } from './trainer/hooks.js';
export { createDecoder, trainBaseModel } from './trainer/base-model.js';
export { loadWeights } from './trainer/model-file.js';
export { problemsOfStep, type StepMetrics, trainPolicy } from './trainer/train-policy.js';
export { type EvaluationLine, type EvaluationOptions, evaluateSuites } from './trainer/evaluate.js';
export { type SuiteMetrics, suiteMetrics } from './trainer/suite-metrics.js';
export { readStepLog } from './trainer/step-log.js';
