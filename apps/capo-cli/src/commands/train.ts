import type { Job } from '@capo/paper';
import { InputError, parseConfig } from '@capo/samples';
import { Flags } from '@oclif/core';
import { readConfigFile } from '../config-file.js';
import { modelJob } from '../model-training.js';
import { TrainingCommand } from '../training-command.js';

export default class Train extends TrainingCommand {
  static override summary = 'Train a policy with one method, on the toy task or from a pretrained model.';

  static override description =
    `Without --model: the toy task, whose base model is trained first when it is missing. With --model and --data: any llama,
qwen2 or qwen3 checkpoint on any set of problems with answers, all weights or LoRA adapters (--lora RANK).
The run folder holds manifest.json, metrics.jsonl (one line a step), tensorboard/, evaluations.jsonl, samples.jsonl, the
checkpoints and the policy. An interrupted run goes on where it stopped. docs/training.md has all options of --config.`;

  static override examples = [
    '<%= config.bin %> train --method capo',
    '<%= config.bin %> train --method grpo --steps 100 --seed 7',
    '<%= config.bin %> train --config my-run.yaml --json',
    '<%= config.bin %> train --method capo --model Qwen/Qwen2.5-0.5B-Instruct --data deepscaler --eval aime24,math500 --lora 16',
  ];

  static override flags = {
    method: Flags.string({
      description: 'grpo, capo, gspo, ... (capo explain lists all); options of a method go into --config',
    }),
    steps: Flags.integer({ description: 'training steps', min: 1 }),
    name: Flags.string({ description: 'name of the run folder; a run of another configuration there is refused' }),
    model: Flags.string({ description: 'a model folder, or the name of a pulled model' }),
    revision: Flags.string({ description: 'branch, tag or commit of a pulled model', default: 'main' }),
    data: Flags.string({ description: 'problems to train on: a set, or a file (JSONL)', dependsOn: ['model'] }),
    eval: Flags.string({ description: 'sets to evaluate on, separated by commas', dependsOn: ['model'] }),
    benchmarks: Flags.string({ description: "folder of the sets' files (default: where capo data fetch keeps them)" }),
    lora: Flags.integer({
      description: 'train adapters of this rank instead of all weights',
      min: 1,
      dependsOn: ['model'],
    }),
  };

  async run(): Promise<unknown> {
    const { flags } = await this.parse(Train);
    const { TOY_METHODS, runJobs, openJobFolder, renderText, runTable, selectMethods } = await import('@capo/paper');
    const { methodHeader, readStepLog, resolveMethod, toyTask, trainSchema } = await import('@capo/rl-core');
    const file = readConfigFile(flags.config) as Record<string, unknown>;
    if (flags.method === undefined && file.method === undefined) {
      throw new InputError(
        'No method is given.',
        'Use --method grpo or --method capo, or name it in --config; "capo explain" lists all.',
      );
    }
    const where = flags.config ?? 'options';
    const root = flags.out ?? flags.runs;
    const steps = flags.steps && { steps: flags.steps };
    let job: Extract<Job, { config: { method: unknown } }>;
    let maxTokens: number;
    if (flags.model === undefined) {
      const named = flags.method === undefined ? {} : TOY_METHODS[selectMethods([flags.method])[0]];
      const options = { ...file, method: { ...named, ...(file.method as object) }, ...steps };
      const config = parseConfig(trainSchema, options, where);
      job = { kind: 'train', root, seed: flags.seed, config };
      maxTokens = toyTask(config.base.task).maxResponseTokens;
    } else {
      const method = { ...(flags.method && { name: flags.method }), ...(file.method as object) };
      const { model, revision, data, benchmarks, lora, seed } = flags;
      const options = { ...file, method, ...steps };
      job = await modelJob({
        model,
        revision,
        data,
        evaluate: flags.eval,
        benchmarks,
        lora,
        root,
        seed,
        options,
        where,
      });
      maxTokens = job.config.maxResponseTokens;
    }
    if (flags.name !== undefined) job.name = runName(flags.name);
    const header = methodHeader(resolveMethod(job.config.method, { clipRatio: job.config.clipRatio, maxTokens }));
    for (const [option, value] of Object.entries(header)) this.note(`${option}: ${value}`);
    await this.withProgress(flags.workers, (options) => runJobs([job], options));
    const folder = openJobFolder(job);
    const evaluations = readStepLog<Parameters<typeof runTable>[0][number]>(folder.file('evaluations.jsonl'));
    if (evaluations.length > 0) this.log(renderText(runTable(evaluations)));
    this.log(`Run folder: ${folder.path}`);
    return { folder: folder.path, manifest: folder.manifest, method: header, evaluations };
  }
}

/** A name that stays within the folder of the run folders. */
function runName(name: string): string {
  if (/^[\w][\w.-]*$/.test(name)) return name;
  throw new InputError(
    `--name ${name}: not a name for a folder.`,
    'Use letters, digits, dots, hyphens and underscores.',
  );
}
