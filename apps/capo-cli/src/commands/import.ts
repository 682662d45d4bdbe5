import { basename } from 'node:path';
import type { ImportField } from '@capo/paper';
import { InputError, toJsonLine, writeFileAtomic } from '@capo/samples';
import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../base-command.js';

export default class Import extends BaseCommand {
  static override summary = 'Turn the records of any JSONL file into samples.';

  static override description =
    `--map PART=FIELD,... says which field of a record each part of a sample comes from (a.b reaches into objects). Parts:
problemId, drawIndex, prompt, response, gold, answer, verdict, confidence, tokens, logprobSum, logprobMean, tokenLogprobs.
problemId, response or answer, and verdict or gold are needed. Without a verdict the grader judges response against gold.
What the file lacks is said; methods that need it refuse it by name.`;

  static override examples = [
    '<%= config.bin %> import rollouts.jsonl --map problemId=problemId,response=response,gold=gold --out samples.jsonl',
    '<%= config.bin %> import dump.jsonl --map problemId=id,response=text,verdict=ok,answer=pred,confidence=score --run mine --out samples.jsonl',
  ];

  static override args = { file: Args.string({ description: 'a JSONL file', required: true }) };

  static override flags = {
    map: Flags.string({ description: 'PART=FIELD pairs, separated by commas', required: true }),
    run: Flags.string({ description: 'name of the run', default: 'imported' }),
    benchmark: Flags.string({ description: 'name of the benchmark (default: the name of the file)' }),
    semantics: Flags.string({
      description: 'what the log-probabilities are',
      options: ['raw', 'processed'],
      default: 'processed',
    }),
    temperature: Flags.string({ description: 'temperature of the draws', default: '1' }),
  };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(Import);
    if (flags.out === undefined) throw new InputError('Where to?', 'Name the sample file to write with --out.');
    const temperature = Number(flags.temperature);
    if (!(temperature >= 0)) throw new InputError(`--temperature is ${flags.temperature}; it must be 0 or more.`);
    const { importSamples } = await import('@capo/paper');
    const { mathGrader } = await import('@capo/benchmarks');
    const grader = mathGrader();
    const lines: string[] = [];
    try {
      const summary = await importSamples(
        args.file,
        {
          map: mapOf(flags.map),
          run: flags.run,
          benchmark: flags.benchmark ?? basename(args.file).replace(/\.jsonl$/, ''),
          semantics: flags.semantics as 'raw' | 'processed',
          temperature,
          grader,
        },
        (samples) => {
          for (const sample of samples) lines.push(`${toJsonLine(sample)}\n`);
        },
      );
      writeFileAtomic(flags.out, lines.join(''));
      const counts = Object.entries(summary.verdicts).map(([verdict, n]) => `${verdict} ${n}`);
      this.log(
        `${summary.samples} samples of ${summary.problems} problems, judged by the ${summary.judgedBy}: ${counts.join(', ')}`,
      );
      if (summary.lacking.length > 0) this.log(`The file lacks ${summary.lacking.join(', ')}.`);
      this.log(`Written: ${flags.out}`);
      return { ...summary, file: flags.out };
    } finally {
      await grader.close();
    }
  }
}

function mapOf(text: string): Partial<Record<ImportField, string>> {
  const pairs = text.split(',').map((pair) => {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new InputError(`--map: "${pair}" is no PART=FIELD.`);
    return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
  });
  return Object.fromEntries(pairs);
}
