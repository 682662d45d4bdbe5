import { Args, Flags } from '@oclif/core';
import { SamplesCommand } from '../samples-command.js';

export default class Metrics extends SamplesCommand {
  static override summary = 'All metrics of sample files, with intervals.';

  static override description =
    `Accuracy, pass@k, AUC pooled and within prompts, average precision, calibration errors, Brier score, NLL, AURC, coverage at precision 0.9.
docs/metrics.md has every definition and convention. --csv and --latex print in that form.`;

  static override examples = [
    '<%= config.bin %> metrics samples.jsonl',
    '<%= config.bin %> metrics a.jsonl b.jsonl --by run --ci delong',
    '<%= config.bin %> metrics samples.jsonl --signal confidence --latex > table.tex',
  ];

  static override strict = false;

  static override args = { samples: Args.string({ description: 'sample files (JSONL)', required: true }) };

  static override flags = {
    bins: Flags.integer({ description: 'bins of the calibration errors', default: 15, min: 1 }),
    ci: Flags.string({ description: 'the interval of AUC', options: ['bootstrap', 'delong'], default: 'bootstrap' }),
    csv: Flags.boolean({ description: 'print one record per metric and group as CSV', exclusive: ['latex'] }),
    latex: Flags.boolean({ description: 'print the table in LaTeX' }),
  };

  async run(): Promise<unknown> {
    const { argv, flags } = await this.parse(Metrics);
    const paper = await import('@capo/paper');
    const reading = await this.readOptions(flags);
    const groups = await paper.readGroups(argv as string[], reading);
    const { bins, seed, resamples } = flags;
    const options = { signal: reading.signal, bins, ci: flags.ci as 'bootstrap' | 'delong', seed, resamples };
    const rows = paper.metricsReport(groups, options);
    const table = paper.metricsTable(rows, groups, options);
    if (flags.csv) process.stdout.write(this.jsonEnabled() ? '' : paper.renderCsv(rows.map((row) => ({ ...row }))));
    else this.log(flags.latex ? paper.renderLatex(table) : paper.renderText(table));
    return { signal: reading.signal, ci: flags.ci, bins, rows };
  }
}
