import {
  type BootstrapOptions,
  clusterBootstrap,
  clusterBootstrapBand,
  type IntervalEstimate,
  type PrecisionCoverage,
  precisionCoverage,
  precisionCoverageOfRanked,
  rankedResampler,
} from '@capo/calibration-metrics';
import type { RandomStream } from '@capo/samples';
import { permutation } from '@capo/samples';
import type { SampleColumns } from './sample-columns.js';

/** The coverages that the table shows. */
export const TABLE_COVERAGES = [0.1, 0.25, 0.5, 0.75, 0.9, 1] as const;

/** What abstaining from the least sure answers gives. */
export interface Abstention {
  curve: PrecisionCoverage;
  /** The curve at the table's coverages, with 95 % bootstrap limits of the precision, over problems. */
  table: (CoverageRow & { low: number | null; high: number | null })[];
}

/** A precision-coverage curve at one wanted coverage. */
export interface CoverageRow {
  wanted: number;
  /** The least coverage of the curve that is at least the wanted one. */
  coverage: number;
  precision: number;
  threshold: number;
}

/** The precision-coverage curve of a set of samples and its table, with intervals over problems. */
export function abstention(columns: SampleColumns, bootstrap: BootstrapOptions): Abstention {
  const { scores, labels, problems } = columns.withSignal();
  const curve = precisionCoverage(scores, labels);
  const ranked = rankedResampler(scores, labels, problems);
  const { low, high } = clusterBootstrapBand(
    columns.problemIds.length,
    (multiplicity) => {
      const resample = precisionCoverageOfRanked(ranked(multiplicity));
      return TABLE_COVERAGES.map((wanted) => resample.precision[pointAt(resample, wanted)] ?? null);
    },
    bootstrap,
  );
  // A curve ends at coverage 1, so that it has every row or, without answers, none.
  const rows = rowsAtCoverages(curve, TABLE_COVERAGES);
  const table = rows.map((row, i) => ({ ...row, low: low[i], high: high[i] }));
  return { curve, table };
}

/**
 * A curve at the wanted coverages: each at the least coverage of the curve that is at least that, since answers of equal
 * confidence are given together. An empty curve has no rows.
 */
export function rowsAtCoverages(curve: PrecisionCoverage, coverages: readonly number[]): CoverageRow[] {
  return coverages.flatMap((wanted) => {
    const point = pointAt(curve, wanted);
    if (point < 0) return [];
    const { coverage, precision, thresholds } = curve;
    return [{ wanted, coverage: coverage[point], precision: precision[point], threshold: thresholds[point] }];
  });
}

/** The first point of a curve whose coverage is at least the wanted one; -1 on an empty curve. */
function pointAt({ coverage }: PrecisionCoverage, wanted: number): number {
  return coverage.findIndex((value) => value >= wanted - 1e-12);
}

/** A threshold found on one half of the problems and what it gave on the other half. */
export interface TargetPrecision {
  target: number;
  /** Null when no threshold reaches the target on the first half. */
  threshold: number | null;
  reason: string | null;
  /** On the half that the threshold was found on. */
  found: { precision: number; coverage: number } | null;
  /** On the other half: the honest number, with a bootstrap interval over its problems. Null when nothing is answered. */
  held: { precision: IntervalEstimate; coverage: number; answered: number; samples: number } | null;
}

/**
 * Finds the threshold with the largest coverage whose precision reaches the target on a random half of the problems,
 * and reports it on the other half. Problems are split, not samples, since the draws of a problem are alike.
 */
export function targetPrecision(
  columns: SampleColumns,
  target: number,
  random: RandomStream,
  resamples = 1000,
): TargetPrecision {
  const { scores, labels, problems } = columns.withSignal();
  const order = permutation(columns.problemIds.length, random);
  const first = new Set(order.subarray(0, Math.ceil(order.length / 2)));
  const indices = (inFirst: boolean) => [...scores.keys()].filter((i) => first.has(problems[i]) === inFirst);
  const fit = indices(true);
  const pick = (from: Float64Array, items: number[]) => items.map((i) => from[i]);
  const curve = precisionCoverage(pick(scores, fit), pick(labels, fit));
  const point = curve.precision.findLastIndex((precision) => precision >= target);
  if (point < 0) {
    const reason = `no threshold reaches precision ${target} on the ${fit.length} samples that it is sought on`;
    return { target, threshold: null, reason, found: null, held: null };
  }
  const threshold = curve.thresholds[point];
  const rest = indices(false);
  const answered = rest.filter((i) => scores[i] >= threshold);
  return {
    target,
    threshold,
    reason: null,
    found: { precision: curve.precision[point], coverage: curve.coverage[point] },
    held: {
      precision: heldPrecision(answered, labels, problems, { random: random.uniform, resamples }),
      coverage: rest.length ? answered.length / rest.length : 0,
      answered: answered.length,
      samples: rest.length,
    },
  };
}

/** The share of right answers among those that are given, whose problems are resampled. */
function heldPrecision(
  answered: readonly number[],
  labels: Float64Array,
  problems: Float64Array,
  bootstrap: BootstrapOptions,
): IntervalEstimate {
  if (answered.length === 0) return { value: null, low: null, high: null, reason: 'nothing is answered' };
  const clusterOf = new Map<number, number>();
  for (const i of answered) if (!clusterOf.has(problems[i])) clusterOf.set(problems[i], clusterOf.size);
  const [given, right] = [new Float64Array(clusterOf.size), new Float64Array(clusterOf.size)];
  for (const i of answered) {
    const cluster = clusterOf.get(problems[i]) as number;
    given[cluster]++;
    right[cluster] += labels[i];
  }
  const share = (multiplicity: Float64Array) => {
    let [all, correct] = [0, 0];
    for (let c = 0; c < given.length; c++) {
      all += multiplicity[c] * given[c];
      correct += multiplicity[c] * right[c];
    }
    return all > 0 ? correct / all : null;
  };
  return clusterBootstrap(clusterOf.size, share, bootstrap);
}
