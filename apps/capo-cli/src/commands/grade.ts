import type { Agreement, Audit, Judgement } from '@capo/benchmarks';
import { CheckFailedError, InputError } from '@capo/samples';
import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../base-command.js';

export default class Grade extends BaseCommand {
  static override summary = 'Judge an answer, or audit the grader against labelled pairs.';

  static override description =
    `PRED is a reply or an answer, GOLD the reference. The verdict is correct, wrong, no-answer, grader-error or timeout;
--explain shows the extraction rule, the normal forms and the comparison that decided. docs/grader.md has the rules.
--audit FILE grades pairs that others have labelled (JSONL with gold, pred, equal; or gold, response, originCorrect) and
prints the agreement by kind of answer.`;

  static override examples = [
    `<%= config.bin %> grade 'So it is \\boxed{\\frac12}.' 0.5 --explain`,
    `<%= config.bin %> grade '(-\\infty, 3)' 'x < 3'`,
    '<%= config.bin %> grade --audit cases.jsonl --min-agreement 0.97',
  ];

  static override args = {
    pred: Args.string({ description: 'the reply, or its answer' }),
    gold: Args.string({ description: 'the reference answer' }),
  };

  static override flags = {
    explain: Flags.boolean({ description: 'show what the verdict rests on' }),
    audit: Flags.string({ description: 'file of labelled pairs (JSONL)' }),
    'min-agreement': Flags.string({
      description: 'fail (exit code 1) when the audit agrees less often',
      dependsOn: ['audit'],
    }),
    deadline: Flags.integer({ description: 'the most milliseconds for one answer', default: 5000, min: 10 }),
  };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(Grade);
    const benchmarks = await import('@capo/benchmarks');
    const grader = benchmarks.mathGrader({ deadlineMs: flags.deadline });
    try {
      if (flags.audit !== undefined) {
        const pairs = await benchmarks.readLabelledPairs(flags.audit);
        const audit = await benchmarks.auditGrader(pairs, grader);
        this.printAudit(audit);
        this.check(audit, flags['min-agreement']);
        return audit;
      }
      if (args.pred === undefined || args.gold === undefined) {
        throw new InputError(
          'An answer and a reference are needed.',
          "For example: capo grade '\\frac12' 0.5 --explain",
        );
      }
      const [grade] = await grader.grade([{ response: args.pred, gold: args.gold }]);
      this.log(`${grade.verdict} (${grade.reason})`);
      if (!flags.explain) return { ...grade, graderVersion: grader.version };
      // The thread has judged it within the deadline, so that it is safe to look at it again here.
      const judgement =
        grade.verdict === 'timeout' ? undefined : benchmarks.judge({ response: args.pred, gold: args.gold });
      if (judgement) this.explain(judgement, benchmarks.printRead);
      return {
        ...grade,
        graderVersion: grader.version,
        explanation: judgement && explanation(judgement, benchmarks.printRead),
      };
    } finally {
      await grader.close();
    }
  }

  private explain(judgement: Judgement, print: Print): void {
    for (const [name, value] of Object.entries(explanation(judgement, print))) {
      if (value !== null) this.log(`  ${name.padEnd(18)} ${value}`);
    }
  }

  private printAudit({
    graderVersion,
    verdicts,
    byKind,
    extraction,
    counts,
    disagreements,
    extractionDisagreements,
  }: Audit): void {
    this.log(`grader ${graderVersion}: verdicts agree on ${share(verdicts)}`);
    if (extraction.of > 0) this.log(`extraction agrees on ${share(extraction)}`);
    this.log(
      Object.entries(counts)
        .map(([verdict, n]) => `${verdict} ${n}`)
        .join(', '),
    );
    this.log('\nby kind of answer');
    for (const { kind, agreement } of byKind) this.log(`  ${kind.padEnd(24)} ${share(agreement)}`);
    if (disagreements.length > 0) this.log('\nthe label disagrees');
    for (const { where, gold, answer, label, verdict, reason } of disagreements) {
      this.log(
        `  ${where}  ${label}, but ${verdict} (${reason})\n    gold   ${brief(gold)}\n    answer ${brief(answer ?? '-')}`,
      );
    }
    if (extractionDisagreements.length > 0) this.log('\nthe origin took another answer');
    for (const { where, origin, answer } of extractionDisagreements) {
      this.log(`  ${where}  ${brief(origin ?? '-')}  here  ${brief(answer ?? '-')}`);
    }
  }

  private check({ verdicts }: Audit, least: string | undefined): void {
    if (least === undefined) return;
    const wanted = Number(least);
    if (!(wanted >= 0 && wanted <= 1)) throw new InputError(`--min-agreement must lie between 0 and 1, not ${least}.`);
    if (verdicts.agree / verdicts.of < wanted) {
      throw new CheckFailedError(`The grader agrees on ${share(verdicts)}, less than ${least}.`);
    }
  }
}

type Print = typeof import('@capo/benchmarks').printRead;

/** What a verdict rests on, by name. */
function explanation({ extraction, gold, answer, comparison }: Judgement, print: Print): Record<string, string | null> {
  return {
    'extraction rule': extraction.rule + (extraction.fallback ? ' (fallback)' : ''),
    answer,
    reference: gold,
    'answer, notation': comparison?.answer.notation ?? null,
    'reference, notation': comparison?.gold.notation ?? null,
    'answer, read as': comparison && comparison.answer.values.length > 0 ? print(comparison.answer) : null,
    'reference, read as': comparison && comparison.gold.values.length > 0 ? print(comparison.gold) : null,
    comparison: comparison ? `${comparison.rule}: ${comparison.outcome}` : null,
  };
}

function share({ agree, of }: Agreement): string {
  return `${agree} of ${of} (${((100 * agree) / of).toFixed(2)} %)`;
}

function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 110 ? `${line.slice(0, 100)}..` : line;
}
