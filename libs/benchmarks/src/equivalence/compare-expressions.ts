import { all, any, type Comparison, decide, different, equal, unclear } from './comparison.js';
import { agree, type Complex, isFiniteNumber } from './complex.js';
import { asDecimal, decimalStandsFor, realValue } from './decimal.js';
import { exactValue } from './exact.js';
import { type Expression, MINUS_ONE, negative, some, variables } from './expression.js';
import { LimitError } from './limits.js';
import { asMatrix } from './matrix.js';
import { evaluate, NotNumericError } from './numeric.js';
import { samePoints } from './points.js';
import { asPolynomial, samePolynomial } from './polynomial.js';
import { equals, type Rational, rational, toNumber } from './rational.js';

/**
 * Compares two expressions, cheap layers first: exact rational numbers, decimals, polynomials with exact coefficients,
 * numbers with a bound of their error, and seeded random points for everything with variables. A percentage equals
 * both its number and a hundredth of it, and an angle in degrees its number or its radians, since references do not
 * agree on how to write them.
 */
export function compareExpressions(a: Expression, b: Expression): Comparison {
  if (a.kind === 'percent' || b.kind === 'percent') return comparePercent(a, b);
  if (a.kind === 'degree' || b.kind === 'degree') return compareDegrees(a, b);
  const based = compareBases(a, b);
  if (based) return based;
  const [exactA, exactB] = [exactValue(a), exactValue(b)];
  if (exactA && exactB) return compareNumbers(a, exactA, b, exactB);
  if (isInfinite(a) || isInfinite(b)) return decide(infinity(a) === infinity(b), 'infinity');
  const [matrixA, matrixB] = [asMatrix(a), asMatrix(b)];
  if (matrixA || matrixB) return matrixA && matrixB ? compareMatrices(matrixA, matrixB) : different('one is a matrix');
  const names = new Set([...variables(a), ...variables(b)]);
  if (names.size === 0 && !hasUnknown(a) && !hasUnknown(b)) return compareConstants(a, b);
  const polynomials = [asPolynomial(a), asPolynomial(b)];
  if (polynomials[0] && polynomials[1]) return decide(samePolynomial(polynomials[0], polynomials[1]), 'polynomials');
  return samePoints(a, b);
}

/** A number with exact rational value on each side: equal exactly, or one is a decimal that stands for the other. */
function compareNumbers(a: Expression, valueA: Rational, b: Expression, valueB: Rational): Comparison {
  if (equals(valueA, valueB)) return equal('exact numbers');
  const [decimalA, decimalB] = [asDecimal(a), asDecimal(b)];
  if (decimalA) return decide(decimalStandsFor(decimalA, toNumber(valueB), decimalB?.unit ?? 0), 'decimal and number');
  if (decimalB) return decide(decimalStandsFor(decimalB, toNumber(valueA), 0), 'decimal and number');
  return different('exact numbers');
}

function compareConstants(a: Expression, b: Expression): Comparison {
  try {
    const nowhere = {
      variable: (name: string) => fail(name),
      unknown: (name: string) => fail(name),
    };
    const [valueA, valueB] = [evaluate(a, nowhere), evaluate(b, nowhere)];
    // Too large for a double is still too large to be the other one.
    if ((isFiniteNumber(valueA) && overflows(valueB)) || (isFiniteNumber(valueB) && overflows(valueA)))
      return different('one is too large');
    if (!isFiniteNumber(valueA) || !isFiniteNumber(valueB)) return unclear('a value is not finite');
    const decimal = asDecimal(a) ?? asDecimal(b);
    if (decimal) {
      const value = realValue(asDecimal(a) ? valueB : valueA);
      return decide(value !== undefined && decimalStandsFor(decimal, value, 0), 'decimal and number');
    }
    return decide(agree(valueA, valueB), 'numbers within their error');
  } catch (error) {
    if (error instanceof NotNumericError || error instanceof LimitError) return unclear(error.message);
    throw error;
  }
}

function overflows({ re, im }: Complex): boolean {
  return im === 0 && Math.abs(re) === Number.POSITIVE_INFINITY;
}

function fail(name: string): never {
  throw new NotNumericError(`${name} has no value`);
}

/** Unknown functions such as `f(2)` and indexed names such as `x_1` are variables of a kind. */
function hasUnknown(e: Expression): boolean {
  return some(e, (part) => part.kind === 'call' && part.name.startsWith('?'));
}

function comparePercent(a: Expression, b: Expression): Comparison {
  const [x, y] = [a.kind === 'percent' ? a.arg : a, b.kind === 'percent' ? b.arg : b];
  if (a.kind === b.kind) return compareExpressions(x, y);
  const scaled = () => {
    const found = a.kind === 'percent' ? compareExpressions(hundredth(x), y) : compareExpressions(x, hundredth(y));
    return { ...found, rule: `percent, ${found.rule}` };
  };
  return any([() => compareExpressions(x, y), scaled]);
}

/** A hundredth of an expression. A number stays a number, with two more places, so that 33.3 % stands for 0.333. */
function hundredth(e: Expression): Expression {
  const value = e.kind === 'number' && rational(e.value.n, e.value.d * 100n);
  if (e.kind !== 'number' || !value) {
    return { kind: 'product', factors: [e, { kind: 'number', value: { n: 1n, d: 100n } }] };
  }
  return e.places === undefined ? { kind: 'number', value } : { kind: 'number', value, places: e.places + 2 };
}

function compareDegrees(a: Expression, b: Expression): Comparison {
  const [x, y] = [a.kind === 'degree' ? a.arg : a, b.kind === 'degree' ? b.arg : b];
  if (a.kind === b.kind) return compareExpressions(x, y);
  const radians = (e: Expression): Expression => ({
    kind: 'product',
    factors: [e, { kind: 'constant', name: 'pi' }, { kind: 'number', value: { n: 1n, d: 180n } }],
  });
  return any([
    () => compareExpressions(x, y),
    () => (a.kind === 'degree' ? compareExpressions(radians(x), y) : compareExpressions(x, radians(y))),
  ]);
}

/** `204_5` against `204_5` or the bare digits `204`, which a question about base 5 may be answered with. */
function compareBases(a: Expression, b: Expression): Comparison | undefined {
  const [x, y] = [basedDigits(a), basedDigits(b)];
  if (!x && !y) return undefined;
  const digits = () => compareExpressions(x?.digits ?? a, y?.digits ?? b);
  if (!x || !y) return digits();
  const bases = compareExpressions(x.base, y.base);
  return bases.outcome === 'equal' ? digits() : bases;
}

function basedDigits(e: Expression): { digits: Expression; base: Expression } | undefined {
  if (e.kind === 'call' && e.name === 'base') return { digits: e.args[0], base: e.args[1] };
  if (e.kind !== 'product' || e.factors.length !== 2 || e.factors[0] !== MINUS_ONE) return undefined;
  const positive = basedDigits(e.factors[1]);
  return positive && { ...positive, digits: negative(positive.digits) };
}

function compareMatrices(a: Expression[][], b: Expression[][]): Comparison {
  if (a.length !== b.length || a[0].length !== b[0].length) return different('shapes of matrices');
  const cells = a.flatMap((row, i) => row.map((cell, j) => [cell, b[i][j]] as const));
  return all(cells, ([x, y]) => compareExpressions(x, y), 'matrix by cells');
}

function isInfinite(e: Expression): boolean {
  return infinity(e) !== 0;
}

/** 1 or -1 for plus or minus infinity, 0 for everything else. */
export function infinity(e: Expression): number {
  if (e.kind === 'constant') return e.name === 'infinity' ? 1 : 0;
  if (e.kind !== 'product' || e.factors.length !== 2) return 0;
  const sign = exactValue(e.factors[0]);
  return sign && infinity(e.factors[1]) !== 0 ? Math.sign(toNumber(sign)) * infinity(e.factors[1]) : 0;
}
