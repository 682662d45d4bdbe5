import { join } from 'node:path';
import { writeFileAtomic } from '@capo/samples';
import { Args, Flags } from '@oclif/core';
import { SamplesCommand } from '../samples-command.js';

export default class Plot extends SamplesCommand {
  static override summary = 'Reliability, precision-coverage or ROC figures of sample files.';

  static override description =
    `Writes SVG, PDF and PNG (300 dpi) with text as outlines, a palette for colour-blind readers and 95 % intervals as bands.
Needs no display.`;

  static override examples = [
    '<%= config.bin %> plot precision-coverage samples.jsonl',
    '<%= config.bin %> plot reliability a.jsonl b.jsonl --by run --bins 10 --out figures',
    '<%= config.bin %> plot roc samples.jsonl --signal confidence',
  ];

  static override strict = false;

  static override args = {
    figure: Args.string({
      description: 'which figure',
      options: ['reliability', 'precision-coverage', 'roc'],
      required: true,
    }),
    samples: Args.string({ description: 'sample files (JSONL)', required: true }),
  };

  static override flags = {
    bins: Flags.integer({ description: 'bins of a reliability diagram', default: 15, min: 1 }),
  };

  async run(): Promise<unknown> {
    const { args, argv, flags } = await this.parse(Plot);
    const paper = await import('@capo/paper');
    const paths = argv.slice(1) as string[];
    const groups = await paper.readGroups(paths, await this.readOptions(flags));
    const { seed, resamples, bins } = flags;
    const figure = paper.plotFigure(args.figure as 'roc', groups, { seed, resamples, bins });
    const provenance = await this.provenance(argv as string[], paths, flags);
    const files = paper.FIGURE_FORMATS.map((format) => {
      const path = join(flags.out ?? 'paper-figures', `${args.figure}.${format}`);
      writeFileAtomic(path, paper.renderFigure(figure, format, provenance));
      return path;
    });
    this.log(`Written: ${files.join(', ')}`);
    return { figure: args.figure, files };
  }
}
