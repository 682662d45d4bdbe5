import type { ModelJob } from '@capo/paper';
import { configHash, InputError, parseConfig } from '@capo/samples';
import { chooseProblems, localSource } from './sampling-run.js';

/** What the command line says of training a pretrained model. */
export interface ModelTraining {
  model: string;
  revision: string;
  /** The problems to train on: a set's name, or a file. */
  data: string | undefined;
  /** Sets to evaluate on, separated by commas. */
  evaluate: string | undefined;
  benchmarks: string | undefined;
  lora: number | undefined;
  root: string;
  seed: number;
  /** Options by name, from the configuration file and the other flags. */
  options: Record<string, unknown>;
  /** Where the options come from, for messages. */
  where: string;
}

/** The rate of adapters, which start from nothing and need larger steps than weights. */
const LORA_LEARNING_RATE = 1e-4;

/**
 * The job that trains a pretrained model.
 *
 * @throws InputError for a model, a problem set or an option that is not there
 */
export async function modelJob(training: ModelTraining): Promise<ModelJob> {
  const { modelTrainSchema } = await import('@capo/rl-core');
  const { model, revision, data, evaluate, benchmarks: folder, lora, root, seed, options, where } = training;
  if (data === undefined) throw new InputError('No problems to train on.', 'Name a set or a file with --data.');
  const source = await localSource(model, revision);
  if (source.kind !== 'local') throw new InputError(`${model} is no model of this machine.`);
  const load = (benchmark: string) => chooseProblems({ benchmark, folder, limit: undefined, ids: undefined });
  const problems = await load(data);
  const names = evaluate === undefined ? [] : evaluate.split(',').map((name) => name.trim());
  const sets = await Promise.all(names.map(load));
  const identity = (set: typeof problems) => ({ name: set[0].benchmark, hash: configHash(set) });
  const isLora = lora !== undefined || (options.lora !== undefined && options.lora !== 'none');
  const config = parseConfig(
    modelTrainSchema,
    {
      ...(isLora && { learningRate: LORA_LEARNING_RATE }),
      ...options,
      ...(lora !== undefined && { lora: { ...(options.lora as object), rank: lora } }),
      model: { name: model, fingerprint: source.identity.weights },
      data: { ...(options.data as object), training: identity(problems), suites: sets.map(identity) },
    },
    where,
  );
  const suites = Object.fromEntries(sets.map((set) => [set[0].benchmark, set]));
  return { kind: 'train-model', root, seed, config, model: source.folder, training: problems, suites };
}
