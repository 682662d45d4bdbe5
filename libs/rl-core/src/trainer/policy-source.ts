import { type AdapterOptions, Adapters, type Decoder, loadPretrained, saveAdapters, savePretrained } from '@capo/model';
import { stream } from '@capo/samples';
import type { TrainingTask } from '../tasks/task.js';
import { createDecoder } from './base-model.js';
import type { BaseModelConfig } from './config.js';
import { saveWeights } from './model-file.js';

/** Where a policy comes from, and how it is written down. */
export interface PolicySource {
  /** The base model, or the policy with what training has changed of it. */
  open(trained: ReadonlyMap<string, Float32Array> | null): Decoder;
  /** The model without anything that is trained: the reference of the noise mask and of a KL term. */
  openReference(): Decoder;
  /** Writes a policy to a folder. */
  save(folder: string, policy: Decoder): Promise<void>;
}

/** A decoder of the toy scale, from the weights of its base model. */
export function toyPolicySource(
  config: BaseModelConfig,
  task: TrainingTask,
  base: ReadonlyMap<string, Float32Array>,
  seed: number,
): PolicySource {
  return {
    open: (trained) => createDecoder(config, task, trained ?? base, seed),
    openReference: () => createDecoder(config, task, base, seed),
    save: saveWeights,
  };
}

/**
 * A pretrained model in Hugging Face's layout, whose weights are trained themselves or through adapters. It is written
 * as a model folder again; adapters are written in PEFT's layout beside it.
 *
 * @param label name or path of the model, kept with adapters
 */
export function pretrainedSource(
  folder: string,
  label: string,
  lora: AdapterOptions | null,
  seed: number,
): PolicySource {
  return {
    open(trained) {
      const decoder = loadPretrained(folder);
      if (lora) decoder.adapters = new Adapters(decoder.config, lora, stream(seed, 'adapters'), trained);
      else if (trained) decoder.assign(trained);
      return decoder;
    },
    openReference: () => loadPretrained(folder),
    async save(target, policy) {
      if (policy.adapters) await saveAdapters(policy.adapters, `${target}/adapter`, label);
      await savePretrained(policy, `${target}/model`, folder);
    },
  };
}
