import type { ToyProtocol } from '@capo/paper';
import { CheckFailedError, parseConfig } from '@capo/samples';
import { Args, Flags } from '@oclif/core';
import { readConfigFile } from '../config-file.js';
import { TrainingCommand } from '../training-command.js';

export default class Reproduce extends TrainingCommand {
  static override summary = 'Reproduce a table of the paper, or check its theory.';

  static override description =
    `At toy scale a small model is trained on this machine: a base model, then each method from it, for each seed.
Every suite is evaluated with 16 draws, and the table is printed and written with its figure.
Finished runs are found again by their configuration, so a second call only prints.
Items: table1 (accuracy), table2 (calibration), theory (its claims on random distributions and on groups of toy
runs; exits with 1 when a claim that should hold does not; docs/theory.md).`;

  static override examples = [
    '<%= config.bin %> reproduce table2 --scale toy',
    '<%= config.bin %> reproduce table2 --scale toy --seeds 3',
    '<%= config.bin %> reproduce table2 --methods grpo,capo,capo-no-mask --out my-figures',
    '<%= config.bin %> reproduce table1 --json > table1.json',
    '<%= config.bin %> reproduce theory',
  ];

  static override args = {
    item: Args.string({ description: 'what to reproduce: table1, table2 or theory', default: 'table2' }),
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
    if (args.item === 'theory') return this.theory(protocol, flags);
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
  private async theory(
    protocol: ToyProtocol,
    { seed, runs, out, workers }: { seed: number; runs: string; out: string | undefined; workers: number | undefined },
  ): Promise<unknown> {
    const { reproduceTheory, renderText } = await import('@capo/paper');
    const { claims, tables, files } = await this.withProgress(workers, (options) =>
      reproduceTheory({ ...options, protocol, seed, runs, out: out ?? 'paper-figures' }),
    );
    for (const { id, statement, measured, holds } of claims) {
      const verdict = holds === null ? 'measured' : holds ? 'holds' : 'FAILS';
      this.log(`${id} ${verdict}: ${statement}\n   ${measured}`);
    }
    for (const table of tables.slice(1)) this.log(`\n${renderText(table)}`);
    this.log(`Written: ${files.join(', ')}`);
    const failed = claims.filter(({ holds }) => holds === false).map(({ id }) => id);
    if (failed.length > 0) {
      throw new CheckFailedError(`Claims that do not hold: ${failed.join(', ')}.`, 'The tables say what was measured.');
    }
    return { claims, tables, files };
  }
}
