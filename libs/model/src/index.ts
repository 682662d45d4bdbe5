/** Tensor backends: choosing one, and what each can do on this machine. */
export { BACKENDS, type BackendName, useBackend } from './backend/backend.js';
export { type BackendProbe, probeBackend } from './backend/probe.js';
export { tf } from './backend/tf.js';

/** A model's `config.json`: its shape, its special tokens, the tensors that it asks for. */
export * from './config/index.js';

/** The decoder, fresh weights for it, and pretrained ones. */
export { Decoder } from './decoder/decoder.js';
export { loadPretrained } from './decoder/pretrained.js';
export { initialWeights } from './decoder/parameters.js';

/** Weights on disk: safetensors files, single and sharded. */
export * from './safetensors/index.js';

/** Batched sampling with a key-value cache. */
export { type DrawnSequence, type DrawRequest, type SamplingOptions, sampleBatch } from './sampling/sample-batch.js';

/** Sequences laid out for one forward pass, and their log-probabilities. */
export {
  packSequences,
  type Sequence,
  type SequenceBatch,
  scoreBatch,
  scoreSequences,
} from './training/sequence-batch.js';

/** Gradients, optimizer, learning-rate schedule. */
export { AdamW, type AdamWOptions, type AdamWState } from './training/adamw.js';
export { type LossAndGradients, lossAndGradients } from './training/gradients.js';
export { cosineWithWarmup } from './training/schedule.js';

/** Text to token ids and back; chat templates. */
export * from './tokenizer/index.js';
