import { stream } from '@capo/samples';
import { type Comparison, different, equal, unclear } from './comparison.js';
import { agree, type Complex, isFiniteNumber, real } from './complex.js';
import { type Expression, some, variables } from './expression.js';
import { LimitError } from './limits.js';
import { evaluate, NotNumericError, type Point } from './numeric.js';

/** How many points must agree with positive values, and how many more are tried with either sign. */
const POSITIVE = 6;
const SIGNED = 6;
/** The most points that are tried when expressions are not defined at many of them. */
const MOST = 40;

/**
 * Compares expressions with variables at seeded random points. They are equal when they agree at all points with
 * positive values, and at all points with either sign where both are real: `\sqrt{1/n}` is `1/\sqrt{n}`, while `|x|` is
 * not `x`. Variables that count something (limits of a series, factorials, indices) take whole numbers. The points are
 * the same every time.
 */
export function samePoints(a: Expression, b: Expression): Comparison {
  const agreement = agreeAtPoints((point) => [evaluate(a, point), evaluate(b, point)], countingVariables([a, b]));
  if (agreement === undefined) return unclear('not defined at enough random points');
  return agreement === true
    ? equal('random points')
    : agreement === false
      ? different('random points')
      : unclear(agreement);
}

/**
 * The constant by which two expressions differ at all points: what makes two equations the same relation.
 * Undefined when they are not proportional, or it cannot be told.
 */
export function proportion(a: Expression, b: Expression): number | undefined {
  let factor: number | undefined;
  const agreement = agreeAtPoints(
    (point) => {
      const [x, y] = [evaluate(a, point), evaluate(b, point)];
      if (!isFiniteNumber(x) || !isFiniteNumber(y) || x.im !== 0 || y.im !== 0) return [x, y];
      if (factor === undefined && Math.abs(x.re) > 1e3 * x.error && Math.abs(y.re) > 1e3 * y.error)
        factor = x.re / y.re;
      const scale = factor ?? 1;
      return [x, { re: y.re * scale, im: 0, error: (y.error + Math.abs(y.re) * 1e-13) * Math.abs(scale) }];
    },
    countingVariables([a, b]),
  );
  return agreement === true ? factor : undefined;
}

/** True or false, undefined when there are too few points where both are defined, or why nothing can be said. */
function agreeAtPoints(
  values: (point: Point) => [Complex, Complex],
  counting: ReadonlySet<string>,
): boolean | undefined | string {
  let positive = 0;
  let signed = 0;
  for (let i = 0; i < MOST && (positive < POSITIVE || (counting.size === 0 && signed < SIGNED)); i++) {
    const isPositive = i % 2 === 0 || counting.size > 0;
    let pair: [Complex, Complex];
    try {
      pair = values(randomPoint(i, isPositive, counting));
    } catch (error) {
      if (error instanceof NotNumericError || error instanceof LimitError) return error.message;
      throw error;
    }
    const [x, y] = pair;
    if (!isFiniteNumber(x) || !isFiniteNumber(y)) {
      // Defined in one and not in the other, at a point that is not special: they differ.
      if (isPositive && counting.size === 0 && isFiniteNumber(x) !== isFiniteNumber(y) && i >= 4 && positive === 0)
        return false;
      continue;
    }
    if (!isPositive && (x.im !== 0 || y.im !== 0)) continue;
    if (!agree(x, y)) return false;
    if (isPositive) positive++;
    else signed++;
  }
  return positive >= Math.min(POSITIVE, 3) ? true : undefined;
}

function randomPoint(index: number, isPositive: boolean, counting: ReadonlySet<string>): Point {
  return {
    variable: (name) => {
      const u = uniform(index, name);
      if (counting.has(name)) return real(2 + Math.floor(u * 7), 0);
      const magnitude = 0.3 + 2.4 * u;
      return real(isPositive || uniform(index, `sign of ${name}`) < 0.5 ? magnitude : -magnitude);
    },
    // Rounded, so that arguments which differ in their last bits only have the same value.
    unknown: (name, args) =>
      real(0.3 + 2.4 * uniform(index, name + args.map(({ re, im }) => `${round(re)},${round(im)}`).join(';'))),
  };
}

function round(x: number): number {
  return Number(x.toPrecision(9)) + 0;
}

const KNOWN = new Map<string, number>();

/** A number in (0, 1) that is a function of the name and the point. Kept, within bounds, since a stream is dear. */
function uniform(index: number, name: string): number {
  const key = `${index} ${name}`;
  let u = KNOWN.get(key);
  if (u === undefined) {
    u = stream(0, 'equivalence', index, name).uniform();
    if (KNOWN.size > 20_000) KNOWN.clear();
    KNOWN.set(key, u);
  }
  return u;
}

/** The variables that must be whole numbers for the expressions to be defined. */
function countingVariables(expressions: readonly Expression[]): Set<string> {
  const counting = new Set<string>();
  for (const e of expressions) {
    some(e, (part) => {
      if (part.kind === 'series')
        for (const limit of [part.from, part.to]) for (const name of variables(limit)) counting.add(name);
      const counts =
        part.kind === 'call' &&
        (/^(?:factorial|binomial)$/.test(part.name) || (part.name.startsWith('?') && part.name.endsWith('_')));
      if (counts && part.kind === 'call')
        for (const arg of part.args) for (const name of variables(arg)) counting.add(name);
      return false;
    });
  }
  return counting;
}
