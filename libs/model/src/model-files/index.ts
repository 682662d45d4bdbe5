/** Models in the hub's layout from other formats. */
export { type ConvertedModel, type ConvertOptions, convertModel } from './convert-model.js';
/** What a model on the disk is. */
export { inspectModel, type ModelSummary } from './inspect-model.js';
