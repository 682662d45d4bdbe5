import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '@capo/samples';
import { type ModelConfig, oddValues, parameterCount } from '../config/index.js';
import { loadTokenizer, type TextTokenizer } from '../tokenizer/index.js';
import { openModel } from './open-model.js';

/** What a model is, without its numbers. */
export interface ModelSummary {
  path: string;
  format: 'safetensors' | 'gguf';
  config: ModelConfig;
  parameters: number;
  /** Gigabytes (10^9) that the weights take in float32, as the decoder holds them. */
  float32Gigabytes: number;
  /** Tensors by how they are stored. */
  storage: Record<string, number>;
  tokenizer: TokenizerSummary | null;
  warnings: string[];
}

interface TokenizerSummary {
  tokens: number;
  bos: number | null;
  eos: number[];
  pad: number | null;
  /** The hash of the chat template; null without one. */
  chatTemplate: string | null;
}

/**
 * Opens a model, checks its configuration, tensors and tokenizer, and says what it is.
 *
 * @throws InputError for what makes the model unusable; what is only odd is a warning
 */
export async function inspectModel(path: string): Promise<ModelSummary> {
  const model = await openModel(path);
  const warnings = oddValues(model.config);
  const tokenizer = findTokenizer(model.folder, warnings);
  const vocabulary = model.config.vocab_size;
  const lastToken = tokenizer ? tokenizer.vocabSize : 0;
  if (lastToken > vocabulary) {
    warnings.push(`The tokenizer has ${lastToken} tokens, the model's vocabulary only ${vocabulary}.`);
  }
  if (tokenizer && tokenizer.special.eos.size === 0) {
    warnings.push('No end token is named, so that every response will run to its limit.');
  }
  const storage: Record<string, number> = {};
  for (const name of model.storage.values()) storage[name] = (storage[name] ?? 0) + 1;
  const parameters = parameterCount(model.config);
  return {
    path,
    format: model.format,
    config: model.config,
    parameters,
    float32Gigabytes: (parameters * 4) / 1e9,
    storage,
    tokenizer: tokenizer && summarize(tokenizer),
    warnings,
  };
}

function findTokenizer(folder: string, warnings: string[]): TextTokenizer | null {
  try {
    return loadTokenizer(folder);
  } catch (error) {
    if (!(error instanceof InputError) || existsSync(join(folder, 'tokenizer.json'))) throw error;
    warnings.push(error.message);
    return null;
  }
}

function summarize({ vocabSize, special, chatTemplate }: TextTokenizer): TokenizerSummary {
  return {
    tokens: vocabSize,
    bos: special.bos,
    eos: [...special.eos],
    pad: special.pad,
    chatTemplate: chatTemplate?.hash ?? null,
  };
}
