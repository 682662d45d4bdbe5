import { type ModelConfig, parseModelConfig } from '@capo/model';
import { z } from 'zod';
import { methodSchema } from '../methods/method-schema.js';
import { toyTaskSchema } from '../tasks/toy.js';

const count = z.int().positive();

const optimizerSchema = z.strictObject({
  beta1: z.number().min(0).lt(1).default(0.9),
  beta2: z.number().min(0).lt(1).default(0.99),
  epsilon: z.number().positive().default(1e-8),
  weightDecay: z.number().min(0).default(0),
  maxGradientNorm: z.number().positive().default(1),
});

/** The size of a decoder that is trained from nothing; the names are Hugging Face's. */
const decoderSizeSchema = z.strictObject({
  model_type: z.enum(['llama', 'qwen2', 'qwen3']).default('qwen2'),
  hidden_size: count.default(64),
  intermediate_size: count.default(256),
  num_hidden_layers: count.default(2),
  num_attention_heads: count.default(4),
  num_key_value_heads: count.default(4),
  initializer_range: z.number().positive().default(0.12),
});

/** Supervised training of a base model on the texts of a task. The defaults are the toy scale's protocol. */
export const baseModelSchema = z.strictObject({
  task: toyTaskSchema.prefault({}),
  model: decoderSizeSchema.prefault({}),
  steps: count.default(1500),
  /** Texts per step. */
  batchSize: count.default(64),
  learningRate: z.number().positive().default(4e-3),
  warmupSteps: z.int().nonnegative().default(100),
  optimizer: optimizerSchema.prefault({}),
  /** Draws per problem of the evaluation at the end. */
  evaluationDraws: count.default(16),
  checkpointEvery: count.default(100),
});
export type BaseModelConfig = z.infer<typeof baseModelSchema>;

/** Reinforcement learning of one method from a base model. The defaults are the toy scale's protocol. */
export const trainSchema = z.strictObject({
  base: baseModelSchema.prefault({}),
  method: methodSchema,
  steps: count.default(240),
  promptsPerStep: count.default(32),
  groupSize: z.int().min(2, 'a group of one has nothing to compare').default(8),
  /** Prompts per update; each batch is worked through once, in minibatches. */
  minibatchPrompts: count.default(16),
  learningRate: z.number().positive().default(5e-4),
  warmupSteps: z.int().nonnegative().default(10),
  clipRatio: z.number().positive().default(0.2),
  temperature: z.number().positive().default(1),
  optimizer: optimizerSchema.prefault({}),
  /** Steps between two evaluations of all suites; the first is before step 0 and the last after the last step. */
  evaluateEvery: count.default(40),
  evaluationDraws: count.default(16),
  checkpointEvery: count.default(25),
});
export type TrainConfig = z.infer<typeof trainSchema>;

/** The decoder's configuration for a model of that size and vocabulary. */
export function decoderConfig(model: BaseModelConfig['model'], vocabSize: number, maxTokens: number): ModelConfig {
  return parseModelConfig(
    {
      ...model,
      vocab_size: vocabSize,
      rope_theta: 10_000,
      tie_word_embeddings: true,
      max_position_embeddings: maxTokens,
    },
    'model',
  );
}
