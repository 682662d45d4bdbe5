import { deriveSeed, stream } from '@capo/samples';
import type { FigureSpec } from '../figure/figure-spec.js';
import { precisionCoverageFigure } from '../figure/specs/precision-coverage.js';
import { formatCell, type Table } from '../table/table.js';
import { type Abstention, abstention, type TargetPrecision, targetPrecision } from './abstention.js';
import { type ColumnEstimates, columnEstimates } from './column-estimates.js';
import { type ReadGroupsOptions, readGroups } from './read-groups.js';
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
  ungraded: number;
  noAnswer: number;
  withoutSignal: number;
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
      ungraded: columns.ungraded,
      noAnswer: columns.noAnswer,
      withoutSignal: columns.withoutSignal,
      ...columnEstimates(columns, { random: random.uniform, resamples }),
      abstention: options.abstain ? abstention(columns) : null,
      target:
        options.targetPrecision === undefined
          ? null
          : targetPrecision(columns, options.targetPrecision, stream(options.seed, 'target-precision', name)),
    };
  });
}

/** Groups by metrics, with intervals. */
export function evaluationTable(groups: readonly EvaluationGroup[], signal: Signal): Table {
  const notes = [
    `Confidence: ${signal}. 95 % bootstrap intervals over problems. AUC: correct against not correct; within prompts: mean over problems with both.`,
  ];
  const failed = groups.reduce((sum, { ungraded }) => sum + ungraded, 0);
  if (failed > 0) notes.push(`${failed} samples have no verdict because their grader failed; they are in no number.`);
  const lacking = groups.reduce((sum, { withoutSignal }) => sum + withoutSignal, 0);
  if (lacking > 0) notes.push(`${lacking} samples lack the signal; they count for accuracy only.`);
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
  const coverages = groups[0].abstention?.table.map(({ wanted }) => wanted) ?? [];
  return {
    title: 'Precision when only the surest answers are given',
    header: ['group', ...coverages.map((coverage) => `${Math.round(100 * coverage)} %`)],
    rows: groups.map(({ name, abstention: result }) => [
      name,
      ...coverages.map((wanted) => {
        const point = result?.table.find((candidate) => candidate.wanted === wanted);
        return point ? point.precision.toFixed(3) : 'n/a';
      }),
    ]),
    notes: [
      'Columns: at least that share of the answers is given, surest first; answers of equal confidence are given together.',
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
      target?.held?.precision?.toFixed(3) ?? 'n/a',
      target?.held?.coverage.toFixed(3) ?? 'n/a',
      target?.held ? `${target.held.answered}/${target.held.samples}` : 'n/a',
    ]),
    notes: groups.flatMap(({ name, target }) => (target?.reason ? [`${name}: ${target.reason}.`] : [])),
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
