/** Tensor backends: choosing one, and what each can do on this machine. */
export { BACKENDS, type BackendName, useBackend } from './backend/backend.js';
export { type BackendProbe, probeBackend } from './backend/probe.js';
export { tf } from './backend/tf.js';

/** A model's `config.json`: its shape, its special tokens, the tensors that it asks for. */
export * from './config/index.js';

/** The decoder, fresh weights for it, and pretrained ones. */
export { Decoder } from './decoder/decoder.js';
export { loadPretrained } from './decoder/pretrained.js';
export { savePretrained } from './decoder/save-pretrained.js';
export { initialWeights } from './decoder/parameters.js';

/** Low-rank adapters, and their files in PEFT's layout. */
export { ADAPTER_TARGETS, type AdapterOptions, Adapters, type AdapterTarget } from './decoder/adapters.js';
export { loadAdapters, saveAdapters } from './decoder/peft.js';

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

/** The log-probability of one token per row of logits. */
export { type TokenLogprobs, tokenLogprob } from './ops/token-logprob.js';

/** Models on the disk: what they are, and other formats of them. */
export * from './model-files/index.js';

/** Models from the hub, and where they lie on this machine. */
export * from './hub/index.js';

/** Models in GGUF files. */
export * from './gguf/index.js';

/** Text to token ids and back; chat templates. */
export * from './tokenizer/index.js';

/** What can be sampled and scored, in this process or behind a server. */
export type { Completion, Drawn, DrawOptions, Policy, PromptRequest } from './policy.js';

/** Models of this process as policies. */
export { type LocalOptions, LocalPolicy } from './local/local-policy.js';

/** Models behind OpenAI-compatible servers. */
export * from './endpoint/index.js';

/** Files of samples that are drawn, judged and continued after an interruption. */
export { collectSamples, type CollectOptions, type Judge } from './collect/collect-samples.js';
export { type CostPlan, planCost } from './collect/plan-cost.js';
export type { PromptedProblem } from './collect/plan-draws.js';
