import { join } from 'node:path';
import type { ConfidenceField, ScalingOptions } from '@capo/paper';
import { InputError, writeFileAtomic } from '@capo/samples';
import { Args, Flags } from '@oclif/core';
import { createProgress } from '../progress.js';
import { SamplesCommand } from '../samples-command.js';

export default class Tts extends SamplesCommand {
  static override summary = 'Inference-time scaling: every way to spend samples, on the same samples.';

  static override description =
    `Prints the expected accuracy of each method with N of the draws of each problem, with 95 % intervals over problems, and the
tokens spent. Answers are clustered by the grader's equivalence. docs/inference-time-scaling.md has every method.
--compare BASE adds paired differences to other samples of the same problems, --abstain the precision when only the most
agreed answers are given, --out the curves as SVG, PDF and PNG.`;

  static override examples = [
    '<%= config.bin %> tts samples.jsonl --methods all --n 1,2,4,8,16',
    '<%= config.bin %> tts capo.jsonl --compare grpo.jsonl --methods majority,perplexity-consistency,rpc --n 16',
    '<%= config.bin %> tts samples.jsonl --confidence confidence --methods best-of-n,borda --out figures',
  ];

  static override strict = false;

  static override args = { samples: Args.string({ description: 'sample files (JSONL)', required: true }) };

  static override flags = {
    methods: Flags.string({ description: 'names of methods, separated by commas, or all', default: 'all' }),
    n: Flags.string({ description: 'draws a problem, separated by commas', default: '1,2,4,8,16' }),
    confidence: Flags.string({
      description: 'what best-of-n, borda and weighted-confidence go by (default: confidence, or else mean-logprob)',
      options: ['confidence', 'mean-logprob', 'sum-logprob'],
    }),
    compare: Flags.string({ description: 'sample file of the base, for paired differences' }),
    abstain: Flags.boolean({ description: 'add the precision when only the most agreed answers are given' }),
    subsets: Flags.integer({
      description:
        'random subsets of a problem for methods without a formula (default: 5 to 100, by the number of problems)',
      min: 2,
    }),
    window: Flags.integer({ description: 'tokens of a group of DeepConf', default: 2048, min: 1 }),
    warmup: Flags.integer({ description: "draws of DeepConf's warm-up", default: 16, min: 1 }),
    'borda-power': Flags.string({ description: 'power of the ranks of the Borda vote', default: '1' }),
    csv: Flags.boolean({ description: 'print one record a method and N as CSV', exclusive: ['latex'] }),
    latex: Flags.boolean({ description: 'print the tables in LaTeX' }),
  };

  async run(): Promise<unknown> {
    const { argv, flags } = await this.parse(Tts);
    const paper = await import('@capo/paper');
    const reading = {
      confidence: flags.confidence as ConfidenceField | undefined,
      onWarning: (message: string) => this.note(`Warning: ${message}`),
    };
    const paths = argv as string[];
    const { problems, notes } = await paper.readDraws(paths, reading);
    const progress = createProgress();
    const options: ScalingOptions = {
      methods: flags.methods === 'all' ? 'all' : flags.methods.split(',').map((name) => name.trim()),
      n: countsOf(flags.n),
      seed: flags.seed,
      resamples: flags.resamples,
      subsets: flags.subsets,
      settings: { window: flags.window, warmup: flags.warmup, bordaPower: powerOf(flags['borda-power']) },
      onProgress: (fraction) => progress.update(fraction, null, 'votes'),
    };
    let report: ReturnType<typeof paper.scalingReport>;
    try {
      report = paper.scalingReport(problems, options);
    } finally {
      progress.stop();
    }
    const tables = [paper.scalingTable(report, notes)];
    let comparison: ReturnType<typeof paper.compareScaling> | null = null;
    if (flags.compare !== undefined) {
      const base = await paper.readDraws([flags.compare], reading);
      const { onProgress, ...quiet } = options;
      comparison = paper.compareScaling(
        problems,
        report,
        base.problems,
        paper.scalingReport(base.problems, quiet),
        options,
      );
      tables.push(paper.differenceTable(comparison.differences, comparison.shared));
    }
    const largest = Math.max(...report.points.map(({ n }) => n));
    const usable = [...new Set(report.points.map(({ method }) => method))];
    const abstention = flags.abstain
      ? paper.voteAbstention(problems, usable, largest, flags.seed, options.settings)
      : null;
    if (abstention) tables.push(paper.voteAbstentionTable(abstention));
    const records = report.points.map(({ method, n, accuracy, subsetError, tokens, drawn }) => {
      const { value, low, high } = accuracy;
      return { method, n, accuracy: value, low, high, subsetError, drawn, tokens };
    });
    if (flags.csv) process.stdout.write(this.jsonEnabled() ? '' : paper.renderCsv(records));
    else for (const table of tables) this.log(flags.latex ? paper.renderLatex(table) : paper.renderText(table));
    const files = flags.out === undefined ? [] : await this.figures(report, paths, flags, flags.out);
    const { refused, tooMany } = report;
    return { problems: problems.length, records, refused, tooMany, comparison, abstention, notes, files };
  }

  private async figures(
    report: Parameters<typeof import('@capo/paper').scalingCurves>[0],
    paths: readonly string[],
    flags: Record<string, unknown>,
    folder: string,
  ): Promise<string[]> {
    const paper = await import('@capo/paper');
    const provenance = await this.provenance(paths, paths, flags);
    const files: string[] = [];
    for (const against of ['draws', 'tokens'] as const) {
      const figure = paper.scalingCurves(report, against);
      if (figure.rows[0].panels[0].series.length === 0) continue;
      for (const format of paper.FIGURE_FORMATS) {
        const path = join(folder, `scaling-${against}.${format}`);
        writeFileAtomic(path, paper.renderFigure(figure, format, provenance));
        files.push(path);
      }
    }
    this.log(
      files.length > 0 ? `Written: ${files.join(', ')}` : 'No curve has two points, so that there is no figure.',
    );
    return files;
  }
}

function countsOf(text: string): number[] {
  const counts = text.split(',').map((part) => Number(part.trim()));
  const wrong = counts.find((count) => !Number.isInteger(count) || count < 1);
  if (wrong !== undefined)
    throw new InputError(`--n is ${text}; give whole numbers of at least 1, separated by commas.`);
  return [...new Set(counts)].sort((a, b) => a - b);
}

function powerOf(text: string): number {
  const power = Number(text);
  if (!(power >= 0) || !Number.isFinite(power)) throw new InputError(`--borda-power is ${text}; it must be 0 or more.`);
  return power;
}
