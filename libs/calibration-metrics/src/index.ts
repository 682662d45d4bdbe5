/** Values that may be undefined, with the reason. */
export { defined, type Estimate, type IntervalEstimate, undefinedBecause } from './estimate.js';

/** Items by group. */
export { groupIndices } from './groups.js';

/** Scores sorted once for all ranking metrics. */
export { type RankedScores, rankScores } from './ranked-scores.js';

/** The area under the ROC curve, pooled and within prompts. */
export { type AucEstimate, auc, aucOfRanked } from './auc.js';
export { type PerPromptAuc, perPromptAuc } from './per-prompt-auc.js';

/** Expected calibration error and the bins of a reliability diagram. */
export {
  type CalibrationError,
  expectedCalibrationError,
  type ReliabilityBin,
  reliabilityBins,
} from './calibration-error.js';

/** Abstention: precision against coverage. */
export { type PrecisionCoverage, precisionCoverage, precisionCoverageOfRanked } from './precision-coverage.js';

/** Accuracy over draws. */
export { meanAtK } from './accuracy.js';

/** Intervals: Student's over runs, bootstrap over prompts. */
export { studentInterval } from './student-interval.js';
export { type BootstrapOptions, type ClusterStatistic, clusterBootstrap } from './cluster-bootstrap.js';
export { aucStatistic, calibrationErrorStatistic, meanStatistic } from './cluster-statistics.js';

/** Quantiles. */
export { quantile } from './quantile.js';
