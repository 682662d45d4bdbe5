import { type PrecisionCoverage, precisionCoverage } from '@capo/calibration-metrics';
import type { RandomStream } from '@capo/samples';
import { permutation } from '@capo/samples';
import type { SampleColumns } from './sample-columns.js';

/** The coverages that the table shows. */
const TABLE_COVERAGES = [0.1, 0.25, 0.5, 0.75, 0.9, 1] as const;

/** What abstaining from the least sure answers gives. */
export interface Abstention {
  curve: PrecisionCoverage;
  /**
   * Precision at the least coverage of the curve that is at least the wanted one: answers of equal confidence are given
   * together, so not every coverage can be had.
   */
  table: { wanted: number; coverage: number; precision: number; threshold: number }[];
}

/** The precision-coverage curve of a set of samples and its table. */
export function abstention(columns: SampleColumns): Abstention {
  const { scores, labels } = columns.withSignal();
  const curve = precisionCoverage(scores, labels);
  const table = TABLE_COVERAGES.flatMap((wanted) => {
    const point = curve.coverage.findIndex((coverage) => coverage >= wanted - 1e-12);
    if (point < 0) return [];
    const [coverage, precision, threshold] = [curve.coverage[point], curve.precision[point], curve.thresholds[point]];
    return [{ wanted, coverage, precision, threshold }];
  });
  return { curve, table };
}

/** A threshold found on one half of the problems and what it gave on the other half. */
export interface TargetPrecision {
  target: number;
  /** Null when no threshold reaches the target on the first half. */
  threshold: number | null;
  reason: string | null;
  /** On the half that the threshold was found on. */
  found: { precision: number; coverage: number } | null;
  /** On the other half: the honest number. Precision is null when nothing is answered. */
  held: { precision: number | null; coverage: number; answered: number; samples: number } | null;
}

/**
 * Finds the threshold with the largest coverage whose precision reaches the target on a random half of the problems,
 * and reports it on the other half. Problems are split, not samples, since the draws of a problem are alike.
 */
export function targetPrecision(columns: SampleColumns, target: number, random: RandomStream): TargetPrecision {
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
  const correct = answered.filter((i) => labels[i] === 1).length;
  return {
    target,
    threshold,
    reason: null,
    found: { precision: curve.precision[point], coverage: curve.coverage[point] },
    held: {
      precision: answered.length ? correct / answered.length : null,
      coverage: rest.length ? answered.length / rest.length : 0,
      answered: answered.length,
      samples: rest.length,
    },
  };
}
