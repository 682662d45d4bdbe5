import { join } from 'node:path';
import { InputError, writeFileAtomic } from '@capo/samples';
import { Args, Flags } from '@oclif/core';
import { SamplesCommand } from '../samples-command.js';

export default class Eval extends SamplesCommand {
  static override summary = 'Accuracy, calibration and abstention of sample files.';

  static override description =
    `Reads JSONL files of samples and prints accuracy (mean@k), AUC pooled and within prompts, and ECE, with 95 % bootstrap intervals over problems.
The event is always "this answer is correct"; confidence is always "higher = surer".`;

  static override examples = [
    '<%= config.bin %> eval runs/train-*/samples.jsonl',
    '<%= config.bin %> eval samples.jsonl --abstain --out figures',
    '<%= config.bin %> eval samples.jsonl --abstain --target-precision 0.9 --json',
  ];

  static override strict = false;

  static override args = { samples: Args.string({ description: 'sample files (JSONL)', required: true }) };

  static override flags = {
    abstain: Flags.boolean({ description: 'add the precision-coverage table; with --out also the figure' }),
    'target-precision': Flags.string({
      description: 'seek a threshold for that precision on one half of the problems, report it on the other',
    }),
  };

  async run(): Promise<unknown> {
    const { argv, flags } = await this.parse(Eval);
    const paper = await import('@capo/paper');
    const reading = await this.readOptions(flags);
    const { signal } = reading;
    const groups = await paper.evaluateSamples(argv as string[], {
      ...reading,
      seed: flags.seed,
      resamples: flags.resamples,
      abstain: flags.abstain,
      targetPrecision: parseTarget(flags['target-precision']),
    });
    this.log(paper.renderText(paper.evaluationTable(groups, signal)));
    if (flags.abstain) this.log(paper.renderText(paper.abstentionTable(groups)));
    if (groups[0].target) this.log(paper.renderText(paper.targetTable(groups)));
    const files: string[] = [];
    if (flags.abstain && flags.out) {
      const provenance = await this.provenance(argv as string[], argv as string[], flags);
      const figure = paper.abstentionFigure(groups);
      for (const format of paper.FIGURE_FORMATS) {
        const path = join(flags.out, `precision-coverage.${format}`);
        writeFileAtomic(path, paper.renderFigure(figure, format, provenance));
        files.push(path);
      }
      this.log(`Written: ${files.join(', ')}`);
    }
    return { signal, groups: groups.map(plain), files };
  }
}

function parseTarget(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const target = Number(text);
  if (!(target > 0 && target <= 1)) throw new InputError(`--target-precision is ${text}; it must be in (0, 1].`);
  return target;
}

/** Typed arrays as lists, since JSON would write them as objects. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, item) => (ArrayBuffer.isView(item) ? Array.from(item as never) : item)));
}
