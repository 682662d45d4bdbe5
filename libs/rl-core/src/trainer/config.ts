import { ADAPTER_TARGETS, type ModelConfig, parseModelConfig } from '@capo/model';
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

/** Reinforcement learning of one method. The defaults are the toy scale's protocol. */
const rlSchema = z.strictObject({
  method: methodSchema,
  steps: count.default(240),
  promptsPerStep: count.default(32),
  groupSize: z.int().min(2, 'a group of one has nothing to compare').default(8),
  /** Prompts per update; a batch is worked through in minibatches. */
  minibatchPrompts: count.default(16),
  /** How often a batch is worked through. */
  epochs: count.default(1),
  learningRate: z.number().positive().default(5e-4),
  warmupSteps: z.int().nonnegative().default(10),
  /** Of the learning rate after the warm-up. */
  schedule: z.enum(['constant', 'linear', 'cosine']).default('constant'),
  clipRatio: z.number().positive().default(0.2),
  temperature: z.number().positive().default(1),
  optimizer: optimizerSchema.prefault({}),
  /** Steps between two evaluations of all suites; the first is before step 0 and the last after the last step. */
  evaluateEvery: count.default(40),
  evaluationDraws: count.default(16),
  checkpointEvery: count.default(25),
  /** How many of the last checkpoints stay on the disk. */
  keepCheckpoints: count.default(2),
  /** The best policy on the validation problems is kept beside the last one when a metric is named. */
  best: z
    .union([
      z.literal('none'),
      z.strictObject({
        metric: z.enum(['accuracy', 'auc', 'perPromptAuc']),
        /** Evaluations without a better value after which the run ends; 0 never ends it. */
        patience: z.int().nonnegative().default(0),
      }),
    ])
    .default('none'),
});
export type RlConfig = z.infer<typeof rlSchema>;

/** Reinforcement learning from a base model of the toy scale. */
export const trainSchema = rlSchema.extend({ base: baseModelSchema.prefault({}) });
export type TrainConfig = z.infer<typeof trainSchema>;

/**
 * Reinforcement learning from a pretrained model on problems with answers. The defaults suit a model of some hundred
 * million parameters on a laptop; the paper's own are in docs/training.md.
 */
export const modelTrainSchema = rlSchema.extend({
  /** The model folder's fingerprint, so that other weights are another run. */
  model: z.strictObject({ name: z.string(), fingerprint: z.string() }),
  /** Problem sets by name, with the hash of their problems. */
  data: z.strictObject({
    training: z.strictObject({ name: z.string(), hash: z.string() }),
    suites: z.array(z.strictObject({ name: z.string(), hash: z.string() })).default([]),
    /** Problems that are taken out of the training set to choose the best policy by. */
    validation: z.int().nonnegative().default(32),
  }),
  prompt: z
    .strictObject({
      route: z.enum(['chat', 'completions']).default('chat'),
      system: z.string().nullable().default(null),
      instruction: z.string().default('Please reason step by step, and put your final answer within \\boxed{}.'),
      /** Problems whose prompts are longer are left out, and counted. */
      maxTokens: count.default(512),
    })
    .prefault({}),
  maxResponseTokens: count.default(512),
  /** Train low-rank adapters instead of all weights. */
  lora: z
    .union([
      z.literal('none'),
      z.strictObject({
        rank: count.default(16),
        alpha: z.number().positive().default(32),
        targets: z.array(z.enum(ADAPTER_TARGETS)).default(['q_proj', 'k_proj', 'v_proj', 'o_proj']),
      }),
    ])
    .default('none'),
  steps: count.default(100),
  promptsPerStep: count.default(8),
  minibatchPrompts: count.default(4),
  learningRate: z.number().positive().default(1e-6),
  evaluateEvery: count.default(20),
  evaluationDraws: count.default(4),
  checkpointEvery: count.default(5),
});
export type ModelTrainConfig = z.infer<typeof modelTrainSchema>;

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
