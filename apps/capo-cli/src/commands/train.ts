import { InputError, parseConfig } from '@capo/samples';
import { Flags } from '@oclif/core';
import { readConfigFile } from '../config-file.js';
import { TrainingCommand } from '../training-command.js';

export default class Train extends TrainingCommand {
  static override summary = 'Train a policy with one method on the toy task.';

  static override description =
    `Trains the base model first when it is missing. The run folder holds manifest.json, metrics.jsonl (one line a step),
evaluations.jsonl, samples.jsonl and model.safetensors. An interrupted run goes on where it stopped.`;

  static override examples = [
    '<%= config.bin %> train --method capo',
    '<%= config.bin %> train --method grpo --steps 100 --seed 7',
    '<%= config.bin %> train --config my-run.yaml --json',
  ];

  static override flags = {
    method: Flags.string({
      description: 'grpo, capo, gspo, ... (capo explain lists all); options of a method go into --config',
    }),
    steps: Flags.integer({ description: 'training steps', min: 1 }),
  };

  async run(): Promise<unknown> {
    const { flags } = await this.parse(Train);
    const { TOY_METHODS, runJobs, openJobFolder, readToyRun, renderText, runTable, selectMethods } = await import(
      '@capo/paper'
    );
    const { methodHeader, resolveMethod, toyTask, trainSchema } = await import('@capo/rl-core');
    const file = readConfigFile(flags.config) as Record<string, unknown>;
    const named = flags.method === undefined ? {} : TOY_METHODS[selectMethods([flags.method])[0]];
    if (flags.method === undefined && file.method === undefined) {
      throw new InputError(
        'No method is given.',
        'Use --method grpo or --method capo, or name it in --config; "capo explain" lists all.',
      );
    }
    const config = {
      ...file,
      method: { ...named, ...(file.method as object) },
      ...(flags.steps && { steps: flags.steps }),
    };
    const parsed = parseConfig(trainSchema, config, flags.config ?? 'options');
    const job = { kind: 'train', root: flags.out ?? flags.runs, seed: flags.seed, config: parsed } as const;
    const maxTokens = toyTask(parsed.base.task).maxResponseTokens;
    const header = methodHeader(resolveMethod(parsed.method, { clipRatio: parsed.clipRatio, maxTokens }));
    for (const [option, value] of Object.entries(header)) this.note(`${option}: ${value}`);
    await this.withProgress(flags.workers, (options) => runJobs([job], options));
    const folder = openJobFolder(job);
    const { evaluations } = await readToyRun(job, parsed.method.name, false);
    this.log(renderText(runTable(evaluations)));
    this.log(`Run folder: ${folder.path}`);
    return { folder: folder.path, manifest: folder.manifest, method: header, evaluations };
  }
}
