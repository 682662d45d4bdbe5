/** Values that may be undefined, with the reason. */
export { defined, type Estimate, type IntervalEstimate, undefinedBecause } from './estimate.js';

/** Items by group; quantiles. */
export { groupIndices } from './groups.js';
export { quantile } from './quantile.js';

/** Scores sorted once for all metrics of a report. */
export { type RankedScores, rankScores } from './ranked-scores.js';
export { mergeRanked } from './merge-ranked.js';

/** Ranking: the area under the ROC curve, pooled and within prompts; the curve; average precision; confident errors. */
export { type AucEstimate, auc, aucOfRanked } from './auc.js';
export { type PerPromptAuc, perPromptAuc } from './per-prompt-auc.js';
export { type DelongEstimate, type DelongTest, delongInterval, delongTest } from './delong.js';
export { type RocCurve, rocCurve, rocCurveOfRanked } from './roc-curve.js';
export { averagePrecision, averagePrecisionOfRanked } from './average-precision.js';
export { type ConfidentErrors, confidentErrors } from './confident-errors.js';

/** Calibration: bins of a reliability diagram and the errors made of them; smooth error; proper scores. */
export {
  type BinOptions,
  type ReliabilityBin,
  reliabilityBins,
  reliabilityBinsOfRanked,
} from './reliability-bins.js';
export {
  adaptiveCalibrationError,
  type CalibrationError,
  type CalibrationErrorKind,
  calibrationErrorOfRanked,
  debiasedSquaredCalibrationError,
  expectedCalibrationError,
  maximumCalibrationError,
  rootMeanSquareCalibrationError,
} from './calibration-error.js';
export { type SmoothCalibrationError, smoothCalibrationError } from './smooth-calibration-error.js';
export { type BrierScore, brierScore, brierScoreOfRanked } from './brier-score.js';
export {
  type NegativeLogLikelihood,
  negativeLogLikelihood,
  negativeLogLikelihoodOfRanked,
} from './negative-log-likelihood.js';

/** Recalibration after the fact. */
export { fitTemperature, scaleByTemperature, type TemperatureScaling } from './temperature-scaling.js';
export { fitIsotonic, type IsotonicRegression, predictIsotonic } from './isotonic-regression.js';

/** Abstention: curves, areas, thresholds with and without a promise, comparison of curves. */
export { type PrecisionCoverage, precisionCoverage, precisionCoverageOfRanked } from './precision-coverage.js';
export {
  type AreaUnderRiskCoverage,
  areaUnderRiskCoverage,
  areaUnderRiskCoverageOfRanked,
} from './risk-coverage.js';
export {
  type CoverageAtPrecision,
  coverageAtPrecision,
  coverageAtPrecisionOfRanked,
  selectiveAccuracy,
  selectiveAccuracyOfRanked,
} from './selective-accuracy.js';
export {
  clopperPearsonLower,
  clopperPearsonUpper,
  type GuaranteedThreshold,
  guaranteedThreshold,
} from './guaranteed-threshold.js';
export { comparePareto, type ParetoComparison } from './pareto.js';

/** Accuracy over draws. */
export { meanAtK } from './mean-at-k.js';
export { meanPassAtK, passAtK } from './pass-at-k.js';
export { majorityAccuracy, majorityAccuracyAtK, type VoteDraws } from './maj-at-k.js';

/** Uncertainty: intervals over runs and over prompts, paired tests, corrections, design. */
export { studentInterval } from './student-interval.js';
export {
  type BootstrapBand,
  type BootstrapOptions,
  type ClusterStatistic,
  clusterBootstrap,
  clusterBootstrapBand,
} from './cluster-bootstrap.js';
export { meanStatistic, rankedResampler } from './cluster-statistics.js';
export { type PermutationTest, pairedPermutationTest } from './permutation-test.js';
export { holm } from './holm.js';
export { smallestDetectableDifference } from './detectable-difference.js';

/** Confidence from log-probabilities; higher always means surer. */
export {
  lowestGroupConfidence,
  meanLogprob,
  negativeEntropy,
  negativePerplexity,
  sequenceLogprob,
  tailConfidence,
} from './confidence-signals.js';
