/** The reproduction of the paper's items. */
export {
  REPRODUCE_ITEMS,
  type ReproduceOptions,
  type Reproduction,
  reproduce,
  selectMethods,
} from './reproduce.js';

/** The paper's theory as executable claims. */
export type { Claim } from './theory/claim.js';
export { reproduceTheory, type TheoryOptions, type TheoryReproduction } from './theory/reproduce-theory.js';

/** Jobs in worker threads: base models and training runs, found again by their configuration. */
export { type Job, type ModelJob, openJobFolder, runJob } from './pipeline/job.js';
export { type PipelineProgress, type RunJobsOptions, runJobs } from './pipeline/run-jobs.js';
export {
  TOY_METHODS,
  type ToyMethod,
  type ToyProtocol,
  toyProtocolSchema,
  trainConfigOf,
} from './pipeline/protocol.js';

/** The numbers of toy runs put together. */
export { type ReportCell, runTable, type ToyReport } from './report/toy-report.js';
export { readToyRun, type ToyRun } from './report/toy-results.js';

/** Metrics of sample files: accuracy, calibration, abstention. */
export {
  abstentionFigure,
  abstentionTable,
  type EvaluateOptions,
  type EvaluationGroup,
  evaluateSamples,
  evaluationTable,
  targetTable,
} from './evaluate/evaluate-samples.js';
export { checkSignal, type Signal } from './evaluate/sample-columns.js';
export { type ReadGroupsOptions, readGroups } from './evaluate/read-groups.js';
export { type MetricRow, type MetricsOptions, metricsReport, metricsTable } from './evaluate/metrics-report.js';
export { PLOTS, type Plot, type PlotOptions, plotFigure } from './evaluate/plots.js';

/** The SHA-256 of files, for what a figure says about where it comes from. */
export { fileHashes } from './evaluate/file-hashes.js';

/** Figures as data, drawn to SVG, PDF and PNG with their provenance inside. */
export type {
  AxisSpec,
  BandPoint,
  Bar,
  FigurePanel,
  FigurePoint,
  FigureRow,
  FigureSeries,
  FigureSpec,
} from './figure/figure-spec.js';
export type { FigureProvenance } from './figure/provenance.js';
export { FIGURE_FORMATS, type FigureFormat, renderFigure } from './figure/render-figure.js';

/** The figures of this field from plain columns. */
export type { Curve, Values } from './figure/specs/curve.js';
export { type PrecisionCoverageCurve, precisionCoverageFigure } from './figure/specs/precision-coverage.js';
export { type DiagramBin, type DiagramGroup, reliabilityDiagram } from './figure/specs/reliability-diagram.js';
export { rocFigure } from './figure/specs/roc-curve.js';
export { scalingFigure } from './figure/specs/scaling-curve.js';
export { type TrainingPanel, trainingCurves } from './figure/specs/training-curves.js';

/** Tables as data, rendered to text, Markdown, CSV and LaTeX. */
export { type Cell, formatCell, type Table } from './table/table.js';
export { renderCsv, renderLatex, renderMarkdown, renderText } from './table/render-table.js';

/** Inference-time scaling over sample files: accuracy against draws and tokens, comparisons, abstention. */
export { type ConfidenceField, type NamedDraws, readDraws, type SampleDraws } from './tts/read-draws.js';
export {
  compareScaling,
  type ScalingDifference,
  type ScalingOptions,
  type ScalingPoint,
  type ScalingReport,
  scalingReport,
  voteAbstention,
} from './tts/scaling-report.js';
export { differenceTable, scalingCurves, scalingTable, voteAbstentionTable } from './tts/scaling-tables.js';

/** Samples from the files of other tools. */
export {
  IMPORT_FIELDS,
  type ImportField,
  type ImportOptions,
  type ImportSummary,
  importSamples,
} from './import/import-samples.js';
