/** Values that may be undefined, with the reason. */

/** Accuracy over draws. */
export { meanAtK } from './accuracy.js';
/** The area under the ROC curve, pooled and within prompts. */
export { type AucEstimate, auc, aucOfRanked } from './auc.js';
/** Expected calibration error and the bins of a reliability diagram. */
export {
  type CalibrationError,
  expectedCalibrationError,
  type ReliabilityBin,
  reliabilityBins,
} from './calibration-error.js';
export * from './estimate.js';
/** Intervals: Student over runs, bootstrap over prompts; quantiles. */
export { type BootstrapOptions, clusterBootstrap, quantile, studentInterval } from './intervals.js';
export { type PerPromptAuc, perPromptAuc } from './per-prompt-auc.js';
/** Abstention: precision against coverage. */
export { type PrecisionCoverage, precisionCoverage, precisionCoverageOfRanked } from './precision-coverage.js';
/** Scores sorted once for all ranking metrics. */
export { type RankedScores, rankScores } from './ranked-scores.js';
