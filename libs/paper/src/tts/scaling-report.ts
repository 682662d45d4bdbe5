import {
  clusterBootstrap,
  type IntervalEstimate,
  meanStatistic,
  pairedPermutationTest,
  precisionCoverage,
} from '@capo/calibration-metrics';
import { didYouMean, InputError, stream } from '@capo/samples';
import { choose, expectationOf, type Field, type Method, type MethodOptions, methodsOf, voteShare } from '@capo/tts';
import { type CoverageRow, rowsAtCoverages } from '../evaluate/abstention.js';
import { FIELD_NAMES } from './field-names.js';
import type { NamedDraws } from './read-draws.js';

export interface ScalingOptions {
  /** Names of methods, or all. */
  methods: readonly string[] | 'all';
  /** Draws per problem. */
  n: readonly number[];
  seed: number;
  resamples: number;
  /**
   * Random subsets of a problem for methods without a formula. By default so many that all problems together have about
   * 5,000, from 5 to 100 each: the error of the mean over problems hardly gains from more.
   */
  subsets?: number | undefined;
  settings: MethodOptions;
  /** Told of how far the work is, in 0..1. */
  onProgress?: (fraction: number) => void;
}

/** One method with n draws a problem. */
export interface ScalingPoint {
  method: string;
  n: number;
  accuracy: IntervalEstimate;
  /** The largest part of the accuracy's error that comes from averaging over subsets; 0 where it is exact. */
  subsetError: number;
  /** Mean tokens a problem; null where the file does not tell. */
  tokens: number | null;
  /** Mean draws a problem. */
  drawn: number;
  /** Expected accuracy of each problem, mean over its runs, in the order of `problemsOf`. */
  perProblem: Float64Array;
}

/** A method that a file cannot serve. */
interface RefusedMethod {
  method: string;
  lacking: Field[];
  /** Another reason than a field that is not there. */
  why: string | null;
}

export interface ScalingReport {
  points: ScalingPoint[];
  refused: RefusedMethod[];
  /** Counts that some problems do not have enough draws for. */
  tooMany: number[];
  /** Different problems; several runs may have drawn for each. */
  problems: number;
  runs: number;
  /** Random subsets of a problem for methods without a formula. */
  subsets: number;
}

/** The different problems of some draws, whatever their run, in the order in which they first occur. */
function problemsOf(draws: readonly NamedDraws[]): string[] {
  return [...new Set(draws.map(problemKey))];
}

/** A problem's name over all benchmarks. */
function problemKey({ benchmark, problemId }: NamedDraws): string {
  return JSON.stringify([benchmark, problemId]);
}

/** One value for each problem: the mean over its runs, which are no independent problems. */
function meanByProblem(draws: readonly NamedDraws[], values: readonly number[]): Float64Array {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const [i, named] of draws.entries()) {
    const key = problemKey(named);
    const entry = sums.get(key) ?? { sum: 0, count: 0 };
    entry.sum += values[i];
    entry.count++;
    sums.set(key, entry);
  }
  return Float64Array.from(sums.values(), ({ sum, count }) => sum / count);
}

/**
 * The expected accuracy of every method with every number of draws, with 95 % bootstrap intervals over problems. Methods
 * that need what a draw of any problem lacks are refused by name; counts above the fewest draws of a problem are left
 * out and named.
 *
 * @throws InputError for an unknown method, or when nothing can be computed
 */
export function scalingReport(problems: readonly NamedDraws[], options: ScalingOptions): ScalingReport {
  const { usable, refused } = selectMethods(problems, options);
  const fewest = Math.min(...problems.map(({ answers }) => answers.length));
  const sizes = options.n.filter((n) => n <= fewest);
  const tooMany = options.n.filter((n) => n > fewest);
  if (usable.length === 0) {
    const lacking = refused.map(({ method, lacking: fields, why }) =>
      why ? `${method}: ${why}` : `${method} needs ${fields.map((field) => FIELD_NAMES[field]).join(' and ')}`,
    );
    throw new InputError(`The samples lack what every one of these methods needs: ${lacking.join('; ')}.`);
  }
  if (sizes.length === 0)
    throw new InputError(`The fewest draws of a problem are ${fewest}; --n asks for ${options.n.join(', ')}.`);
  const subsets = options.subsets ?? Math.min(100, Math.max(5, Math.ceil(5000 / problems.length)));
  const points: ScalingPoint[] = [];
  for (const method of usable) {
    for (const n of method.name === 'single' || method.name === 'greedy' ? sizes.slice(0, 1) : sizes) {
      points.push(pointOf(method, n, problems, { ...options, subsets }));
      options.onProgress?.(points.length / (usable.length * sizes.length));
    }
  }
  return {
    points,
    refused,
    tooMany,
    problems: problemsOf(problems).length,
    runs: new Set(problems.map(({ run }) => run)).size,
    subsets,
  };
}

function pointOf(
  method: Method,
  n: number,
  problems: readonly NamedDraws[],
  { seed, resamples, subsets }: ScalingOptions & { subsets: number },
): ScalingPoint {
  let [tokens, drawn, variance] = [0, 0, 0];
  const values = problems.map((draws) => {
    // A stream of its own, so that a problem's value does not depend on which others there are.
    const { uniform } = stream(seed, 'tts', method.name, n, draws.run, draws.benchmark, draws.problemId);
    const found = expectationOf(method, draws, n, { subsets, random: uniform });
    tokens += found.tokens;
    drawn += found.drawn;
    variance += found.error ** 2;
    return found.accuracy;
  });
  const perProblem = meanByProblem(problems, values);
  const random = stream(seed, 'tts-bootstrap', method.name, n).uniform;
  return {
    method: method.name,
    n,
    accuracy: clusterBootstrap(perProblem.length, meanStatistic(perProblem), { random, resamples }),
    subsetError: Math.sqrt(variance) / problems.length,
    tokens: Number.isFinite(tokens) ? tokens / problems.length : null,
    drawn: drawn / problems.length,
    perProblem,
  };
}

function selectMethods(problems: readonly NamedDraws[], { methods, settings }: ScalingOptions) {
  const known = methodsOf(settings);
  const names = known.map(({ name }) => name);
  const wanted = methods === 'all' ? names : methods;
  const usable: Method[] = [];
  const refused: RefusedMethod[] = [];
  for (const name of wanted) {
    const method = known.find((candidate) => candidate.name === name);
    if (!method) throw new InputError(`There is no method "${name}".`, didYouMean(name, names));
    const lacking = method.needs.filter((field) => problems.some((draws) => draws[field] === undefined));
    const why = lacking.length > 0 ? null : (method.refuses?.(problems) ?? null);
    if (lacking.length > 0 || why !== null) refused.push({ method: name, lacking, why });
    else usable.push(method);
  }
  return { usable, refused };
}

/** A method's gain over the same method on other samples of the same problems. */
export interface ScalingDifference {
  method: string;
  n: number;
  difference: IntervalEstimate;
  /** Two-sided p-value of a paired permutation test over problems. */
  pValue: number | null;
}

/**
 * Paired differences of two reports on the same problems, method by method.
 *
 * @throws InputError when they share no problem
 */
export function compareScaling(
  problems: readonly NamedDraws[],
  report: ScalingReport,
  baseProblems: readonly NamedDraws[],
  base: ScalingReport,
  { seed, resamples }: Pick<ScalingOptions, 'seed' | 'resamples'>,
): { differences: ScalingDifference[]; shared: number } {
  const places = new Map(problemsOf(baseProblems).map((key, i) => [key, i]));
  const pairs = problemsOf(problems).flatMap((key, i) => {
    const place = places.get(key);
    return place === undefined ? [] : [[i, place] as const];
  });
  if (pairs.length === 0) throw new InputError('The samples and those of --compare have no problem in common.');
  const differences = report.points.flatMap(({ method, n, perProblem }) => {
    const other = base.points.find((point) => point.method === method && point.n === n);
    if (!other) return [];
    // What is left of rounding is no difference.
    const values = Float64Array.from(pairs, ([i, place]) => withoutRounding(perProblem[i] - other.perProblem[place]));
    const random = stream(seed, 'tts-compare', method, n).uniform;
    const difference = clusterBootstrap(values.length, meanStatistic(values), { random, resamples });
    const { pValue } = pairedPermutationTest(values, random);
    return [{ method, n, difference, pValue }];
  });
  return { differences, shared: pairs.length };
}

function withoutRounding(difference: number): number {
  return Math.abs(difference) < 1e-9 ? 0 : difference;
}

/** The shares of the problems that are answered, in the table. */
const VOTE_COVERAGES = [0.25, 0.5, 0.75, 0.9, 1];

/** How precise a vote is when it only answers where its leader's share of the votes is large enough. */
export interface VoteAbstention {
  method: string;
  n: number;
  table: CoverageRow[];
}

/** The precision of each method's choice when the problems with the smallest vote share are left unanswered. */
export function voteAbstention(
  problems: readonly NamedDraws[],
  methods: readonly string[],
  n: number,
  seed: number,
  settings: MethodOptions,
): VoteAbstention[] {
  return methodsOf(settings)
    .filter(({ name }) => methods.includes(name) && name !== 'oracle')
    .map((method) => {
      const shares = new Float64Array(problems.length);
      const right = new Float64Array(problems.length);
      for (const [i, draws] of problems.entries()) {
        const { votes } = method.decide(
          draws,
          Int32Array.from({ length: n }, (_, draw) => draw),
        );
        shares[i] = voteShare(votes);
        const { uniform } = stream(seed, 'tts-choice', method.name, draws.run, draws.benchmark, draws.problemId);
        right[i] = choose(votes, uniform) === draws.gold ? 1 : 0;
      }
      const table = rowsAtCoverages(precisionCoverage(shares, right), VOTE_COVERAGES);
      return { method: method.name, n, table };
    });
}
