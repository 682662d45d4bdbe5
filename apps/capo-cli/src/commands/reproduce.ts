import { parseConfig } from '@capo/samples';
import { Args, Flags } from '@oclif/core';
import { readConfigFile } from '../config-file.js';
import { TrainingCommand } from '../training-command.js';

export default class Reproduce extends TrainingCommand {
  static override summary = 'Reproduce a table of the paper.';

  static override description =
    `At toy scale a small model is trained on this machine: a base model, then each method from it, for each seed.
Every suite is evaluated with 16 draws, and the table is printed and written with its figure.
Finished runs are found again by their configuration, so a second call only prints.
Items: table1 (accuracy), table2 (calibration).`;

  static override examples = [
    '<%= config.bin %> reproduce table2 --scale toy',
    '<%= config.bin %> reproduce table2 --scale toy --seeds 3',
    '<%= config.bin %> reproduce table2 --methods grpo,capo,capo-no-mask --out my-figures',
    '<%= config.bin %> reproduce table1 --json > table1.json',
  ];

  static override args = {
    item: Args.string({ description: 'what to reproduce: table1 or table2', default: 'table2' }),
  };

  static override flags = {
    scale: Flags.string({
      description: 'toy: a small model trained on this machine in minutes',
      options: ['toy'],
      default: 'toy',
    }),
    seeds: Flags.integer({ description: 'number of seeds, counted up from --seed', default: 1, min: 1 }),
    methods: Flags.string({ description: 'methods to train, separated by commas', default: 'grpo,capo' }),
  };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(Reproduce);
    const { reproduce, renderText, toyProtocolSchema, selectMethods } = await import('@capo/paper');
    const protocol = parseConfig(toyProtocolSchema, readConfigFile(flags.config), flags.config ?? 'protocol');
    const methods = selectMethods(flags.methods.split(','));
    const seeds = Array.from({ length: flags.seeds }, (_, i) => flags.seed + i);
    const { report, tables, files } = await this.withProgress(flags.workers, (options) =>
      reproduce({
        ...options,
        item: args.item,
        protocol,
        methods,
        seeds,
        runs: flags.runs,
        out: flags.out ?? 'paper-figures',
      }),
    );
    for (const table of tables) this.log(renderText(table));
    this.log(`Written: ${files.join(', ')}`);
    return { ...report, files };
  }
}
