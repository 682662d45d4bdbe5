import type { FigureSpec } from '../figure/figure-spec.js';
import { scalingFigure } from '../figure/specs/scaling-curve.js';
import { formatCell, type Table } from '../table/table.js';
import { FIELD_NAMES } from './field-names.js';
import type { ScalingDifference, ScalingReport, VoteAbstention } from './scaling-report.js';

const show = (value: number | null, digits = 0) => (value === null ? 'n/a' : value.toFixed(digits));

/** Accuracy by method and number of draws, and what is spent at the largest number. */
export function scalingTable(report: ScalingReport, notes: readonly string[]): Table {
  const sizes = [...new Set(report.points.map(({ n }) => n))].sort((a, b) => a - b);
  const methods = [...new Set(report.points.map(({ method }) => method))];
  const rows = methods.map((method) => {
    const own = report.points.filter((point) => point.method === method);
    const last = own[own.length - 1];
    return [
      method,
      ...sizes.map((n) => {
        const point = own.find((candidate) => candidate.n === n);
        return point ? formatCell(point.accuracy) : '';
      }),
      show(last.drawn, 1),
      show(last.tokens),
    ];
  });
  const noisy = report.points.filter(({ subsetError }) => subsetError > 0);
  const worst = Math.max(0, ...noisy.map(({ subsetError }) => subsetError));
  return {
    title: `Accuracy by method and draws a problem, ${report.problems} problems${report.runs > 1 ? `, ${report.runs} runs` : ''}`,
    header: ['method', ...sizes.map((n) => `N = ${n}`), 'draws spent', 'tokens spent'],
    rows,
    notes: [
      `95 % bootstrap intervals over problems${report.runs > 1 ? '; they do not know how runs differ' : ''}. Draws and tokens: mean a problem, at the largest N.`,
      ...(noisy.length > 0
        ? [
            `Values without a formula are averages over ${report.subsets} random subsets of each problem; their standard error is at most ${worst.toFixed(4)}.`,
          ]
        : []),
      ...report.refused.map(
        ({ method, lacking, why }) =>
          `${method} is refused: ${why ?? `the samples lack ${lacking.map((field) => FIELD_NAMES[field]).join(' and ')}`}.`,
      ),
      ...(report.tooMany.length > 0 ? [`N = ${report.tooMany.join(', ')} is above the draws of some problem.`] : []),
      ...notes,
    ],
  };
}

/** Paired gains over the base. */
export function differenceTable(differences: readonly ScalingDifference[], shared: number): Table {
  return {
    title: `Gain over the base, ${shared} problems in common`,
    header: ['method', 'N', 'difference in accuracy', 'p'],
    rows: differences.map(({ method, n, difference, pValue }) => [
      method,
      String(n),
      formatCell(difference, { signed: true }),
      pValue === null ? 'n/a' : pValue.toFixed(4),
    ]),
    notes: [
      'Paired by problem: 95 % bootstrap intervals, two-sided permutation test. Not corrected for the number of rows.',
    ],
  };
}

/** Precision of the choices when the least agreed ones are not given. */
export function voteAbstentionTable(results: readonly VoteAbstention[]): Table {
  const coverages = [...new Set(results.flatMap(({ table }) => table.map(({ wanted }) => wanted)))].sort(
    (a, b) => a - b,
  );
  return {
    title: `Precision when only the most agreed answers are given, N = ${results[0]?.n ?? 0}`,
    header: ['method', ...coverages.map((coverage) => `${Math.round(100 * coverage)} %`)],
    rows: results.map(({ method, table }) => [
      method,
      ...coverages.map((wanted) => show(table.find((point) => point.wanted === wanted)?.precision ?? null, 3)),
    ]),
    notes: [
      "Confidence of a vote: its leader's share of all weight. Columns: at least that share of the problems is answered.",
    ],
  };
}

/** The most curves that are drawn with their intervals. */
const MAX_BANDS = 3;

/** Accuracy against draws, or against tokens where the samples tell them. */
export function scalingCurves(report: ScalingReport, against: 'draws' | 'tokens'): FigureSpec {
  const methods = [...new Set(report.points.map(({ method }) => method))];
  const curves = methods.flatMap((label) => {
    const own = report.points.filter(
      (point) => point.method === label && (against === 'draws' || point.tokens !== null),
    );
    if (own.length < 2) return [];
    return [
      {
        label,
        x: own.map(({ n, tokens }) => (against === 'draws' ? n : (tokens as number))),
        y: own.map(({ accuracy }) => accuracy.value),
        // Many bands over each other hide the lines; the table has every interval.
        ...(methods.length <= MAX_BANDS && {
          low: own.map(({ accuracy }) => accuracy.low),
          high: own.map(({ accuracy }) => accuracy.high),
        }),
      },
    ];
  });
  return scalingFigure(curves, against === 'draws' ? 'samples per problem' : 'tokens per problem');
}
