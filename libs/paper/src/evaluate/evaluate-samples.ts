import { deriveSeed, stream } from '@capo/samples';
import type { FigureSpec } from '../figure/figure-spec.js';
import { precisionCoverageFigure } from '../figure/specs/precision-coverage.js';
import { formatCell, type Table } from '../table/table.js';
import { type Abstention, abstention, TABLE_COVERAGES, type TargetPrecision, targetPrecision } from './abstention.js';
import { type ColumnEstimates, columnEstimates } from './column-estimates.js';
import { omissionNotes, type ReadGroupsOptions, readGroups } from './read-groups.js';
import type { Signal } from './sample-columns.js';

export interface EvaluateOptions extends ReadGroupsOptions {
  seed: number;
  resamples?: number;
  /** Adds the precision-coverage curve and table. */
  abstain: boolean;
  /** Seeks a threshold for that precision on one half of the problems. */
  targetPrecision?: number | undefined;
}

/** The metrics of one group of samples. */
export interface EvaluationGroup extends ColumnEstimates {
  name: string;
  problems: number;
  samples: number;
  /** Samples without a verdict: failures of the grader and timeouts. */
  graderErrors: number;
  timeouts: number;
  noAnswer: number;
  withoutSignal: number;
  /** Problems with both right and wrong samples that have the signal. */
  mixedProblems: number;
  abstention: Abstention | null;
  target: TargetPrecision | null;
}

/** Reads sample files once, with memory for numbers only, and computes the metrics of every group. */
export async function evaluateSamples(paths: readonly string[], options: EvaluateOptions): Promise<EvaluationGroup[]> {
  const groups = await readGroups(paths, options);
  return [...groups].map(([name, columns]) => {
    const random = stream(deriveSeed(options.seed, 'evaluate', name));
    const resamples = options.resamples ?? 1000;
    return {
      name,
      problems: columns.problemIds.length,
      samples: columns.samples,
      graderErrors: columns.graderErrors,
      timeouts: columns.timeouts,
      noAnswer: columns.noAnswer,
      withoutSignal: columns.withoutSignal,
      ...columnEstimates(columns, { random: random.uniform, resamples }),
      mixedProblems: columns.mixedProblems(),
      abstention: options.abstain ? abstention(columns, { random: random.uniform, resamples }) : null,
      target:
        options.targetPrecision === undefined
          ? null
          : targetPrecision(
              columns,
              options.targetPrecision,
              stream(options.seed, 'target-precision', name),
              resamples,
            ),
    };
  });
}

/** Groups by metrics, with intervals. */
export function evaluationTable(groups: readonly EvaluationGroup[], signal: Signal): Table {
  const notes = [
    `Confidence: ${signal}. 95 % bootstrap intervals over problems. AUC: correct against not correct; within prompts: mean over problems with both.`,
  ];
  notes.push(...omissionNotes(groups));
  const skipped = groups.reduce((sum, { problems, mixedProblems }) => sum + problems - mixedProblems, 0);
  if (skipped > 0)
    notes.push(`AUC within prompts leaves out ${skipped} problems whose scored samples are all right or all wrong.`);
  for (const { name, ...group } of groups) {
    for (const metric of ['accuracy', 'auc', 'perPromptAuc', 'ece'] as const) {
      if (group[metric].value === null) notes.push(`${name}: ${metric} is n/a: ${group[metric].reason}.`);
    }
  }
  return {
    title: 'Evaluation',
    header: ['group', 'problems', 'samples', 'accuracy', 'AUC', 'AUC within prompts', 'ECE'],
    rows: groups.map((group) => [
      group.name,
      String(group.problems),
      String(group.samples),
      ...(['accuracy', 'auc', 'perPromptAuc', 'ece'] as const).map((metric) => formatCell(group[metric])),
    ]),
    notes,
  };
}

/** Precision at chosen coverages, one row a group. */
export function abstentionTable(groups: readonly EvaluationGroup[]): Table {
  const coverages = TABLE_COVERAGES;
  return {
    title: 'Precision when only the surest answers are given',
    header: ['group', ...coverages.map((coverage) => `${Math.round(100 * coverage)} %`)],
    rows: groups.map(({ name, abstention: result }) => [
      name,
      ...coverages.map((wanted) => {
        const point = result?.table.find((candidate) => candidate.wanted === wanted);
        return formatCell({ value: point?.precision ?? null, low: point?.low ?? null, high: point?.high ?? null });
      }),
    ]),
    notes: [
      'Columns: at least that share of the answers is given, surest first; answers of equal confidence are given together. 95 % bootstrap intervals over problems.',
    ],
  };
}

/** What thresholds for a target precision gave on the problems that they were not found on. */
export function targetTable(groups: readonly EvaluationGroup[]): Table {
  return {
    title: `Threshold for precision ${groups[0].target?.target}, found on one half of the problems`,
    header: ['group', 'threshold', 'coverage there', 'precision on the other half', 'coverage', 'answered'],
    rows: groups.map(({ name, target }) => [
      name,
      target?.threshold?.toFixed(4) ?? 'none',
      target?.found?.coverage.toFixed(3) ?? 'n/a',
      formatCell(target?.held?.precision ?? { value: null, low: null, high: null }),
      target?.held?.coverage.toFixed(3) ?? 'n/a',
      target?.held ? `${target.held.answered}/${target.held.samples}` : 'n/a',
    ]),
    notes: [
      '95 % bootstrap intervals over the problems of the other half.',
      ...groups.flatMap(({ name, target }) => (target?.reason ? [`${name}: ${target.reason}.`] : [])),
    ],
  };
}

/** The precision-coverage curves of all groups in one panel. */
export function abstentionFigure(groups: readonly EvaluationGroup[]): FigureSpec {
  return precisionCoverageFigure(
    groups.map(({ name, abstention: result }) => ({
      label: name,
      x: result?.curve.coverage ?? [],
      y: result?.curve.precision ?? [],
    })),
  );
}
