/** Training tasks: what a trainer needs to know of a benchmark. */
export type { TokenisedProblem, TrainingTask } from './tasks/task.js';
export { toyTask, toyTaskSchema } from './tasks/toy.js';
/** Methods and their options. */
export { type BatchAdvantages, batchAdvantages, type GroupedRewards, type Method, methodSchema, needsReference } from './methods.js';
/** Advantages, one file per method. */
export { type CapoAdvantageOptions, capoAdvantages, pairWeight } from './advantages/capo.js';
export { type GrpoAdvantageOptions, grpoAdvantages } from './advantages/grpo.js';
export { type NoiseMaskThresholds, noiseMask } from './advantages/noise-mask.js';
/** Objectives. */
export { clipFraction, clippedLoss } from './objectives/clipped.js';
/** Rollouts and updates. */
export { meanOf, type Rollout, rewardOf, rollOut, sequencesOf } from './trainer/rollout.js';
export { type Minibatch, type UpdateReport, updatePolicy } from './trainer/policy-update.js';
