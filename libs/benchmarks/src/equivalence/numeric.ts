import {
  type Complex,
  complexPower,
  exp,
  inverse,
  ln,
  modulus,
  plus,
  real,
  realFunction,
  times,
  wholePower,
} from './complex.js';
import { exactValue } from './exact.js';
import type { Expression } from './expression.js';
import { LIMITS, LimitError } from './limits.js';
import { toNumber } from './rational.js';

/** The values of variables and of functions that are not known, at one point. */
export interface Point {
  variable(name: string): Complex;
  /** The value of an unknown function, the same whenever it is asked with the same arguments. */
  unknown(name: string, args: readonly Complex[]): Complex;
}

/** An expression cannot be evaluated: something in it has no numeric meaning here. */
export class NotNumericError extends Error {}

/**
 * The value of an expression at a point, in complex double arithmetic with a running bound of the error. Odd roots of
 * negative numbers are real, as in school; other powers are on the principal branch. Not finite where it is not
 * defined.
 *
 * @throws {NotNumericError} for what has no numeric meaning.
 * @throws {LimitError} when it takes too many steps.
 */
export function evaluate(e: Expression, point: Point): Complex {
  let steps = 0;
  return value(e, new Map());

  function value(part: Expression, bound: ReadonlyMap<string, number>): Complex {
    if (++steps > LIMITS.steps) throw new LimitError('steps');
    switch (part.kind) {
      case 'number':
        return real(toNumber(part.value));
      case 'symbol': {
        const index = bound.get(part.name);
        return index === undefined ? point.variable(part.name) : real(index, 0);
      }
      case 'constant':
        return constant(part.name);
      case 'sum':
        return part.terms.map((term) => value(term, bound)).reduce(plus);
      case 'product':
        return part.factors.map((factor) => value(factor, bound)).reduce(times);
      case 'power':
        return raised(value(part.base, bound), part.exponent, bound);
      case 'percent':
        return times(value(part.arg, bound), real(0.01));
      case 'degree':
        return times(value(part.arg, bound), real(Math.PI / 180));
      case 'call':
        return call(
          part.name,
          part.args.map((arg) => value(arg, bound)),
          point,
        );
      case 'series':
        return series(part, bound);
      default:
        throw new NotNumericError(`a ${part.kind} is no number`);
    }
  }

  function raised(base: Complex, exponent: Expression, bound: ReadonlyMap<string, number>): Complex {
    const exact = exactValue(exponent);
    if (!exact) {
      const power = value(exponent, bound);
      const whole =
        power.im === 0 && Math.abs(power.re - Math.round(power.re)) <= power.error && Math.abs(power.re) < 4096;
      return whole ? wholePower(base, Math.round(power.re)) : complexPower(base, power);
    }
    const p = toNumber({ n: exact.n, d: 1n });
    if (exact.d === 1n)
      return Math.abs(p) <= 4096 ? (p === -1 ? inverse(base) : wholePower(base, p)) : complexPower(base, real(p, 0));
    const q = real(toNumber(exact));
    if (base.im === 0 && base.re < 0 && exact.d % 2n === 1n) {
      const magnitude = complexPower({ ...base, re: -base.re }, q);
      return exact.n % 2n === 0n ? magnitude : { ...magnitude, re: -magnitude.re };
    }
    return complexPower(base, q);
  }

  function series(
    { name, index, from, to, body }: Extract<Expression, { kind: 'series' }>,
    bound: ReadonlyMap<string, number>,
  ): Complex {
    const [first, last] = [whole(value(from, bound)), whole(value(to, bound))];
    if (last - first > LIMITS.terms) throw new LimitError('terms');
    let result = real(name === 'sum' ? 0 : 1, 0);
    for (let k = first; k <= last; k++) {
      const term = value(body, new Map(bound).set(index, k));
      result = name === 'sum' ? plus(result, term) : times(result, term);
    }
    return result;
  }
}

function constant(name: 'pi' | 'e' | 'i' | 'infinity'): Complex {
  if (name === 'pi') return real(Math.PI);
  if (name === 'e') return real(Math.E);
  if (name === 'i') return { re: 0, im: 1, error: 0 };
  return real(Number.POSITIVE_INFINITY, 0);
}

function whole(x: Complex): number {
  const rounded = Math.round(x.re);
  if (x.im !== 0 || !(Math.abs(x.re - rounded) <= 1e-9))
    throw new NotNumericError('a limit of a series that is no whole number');
  return rounded;
}

/** exp(ix) and exp(-ix), from which the circular functions of complex numbers are made. */
function circular(x: Complex): [Complex, Complex] {
  const i = { re: 0, im: 1, error: 0 };
  return [exp(times(i, x)), exp(times({ re: 0, im: -1, error: 0 }, x))];
}

function sine(x: Complex): Complex {
  if (x.im === 0) return realFunction(x, Math.sin, () => 1);
  const [up, down] = circular(x);
  return times(plus(up, times(real(-1, 0), down)), { re: 0, im: -0.5, error: 0 });
}

function cosine(x: Complex): Complex {
  if (x.im === 0) return realFunction(x, Math.cos, () => 1);
  const [up, down] = circular(x);
  return times(plus(up, down), real(0.5, 0));
}

function call(name: string, args: readonly Complex[], point: Point): Complex {
  const [a, b] = args;
  switch (name) {
    case 'sin':
      return sine(a);
    case 'cos':
      return cosine(a);
    case 'tan':
      return times(sine(a), inverse(cosine(a)));
    case 'cot':
      return times(cosine(a), inverse(sine(a)));
    case 'sec':
      return inverse(cosine(a));
    case 'csc':
      return inverse(sine(a));
    case 'sinh':
      return realFunction(a, Math.sinh, Math.cosh);
    case 'cosh':
      return realFunction(a, Math.cosh, Math.sinh);
    case 'tanh':
      return realFunction(a, Math.tanh, () => 1);
    case 'arcsin':
      return realFunction(a, Math.asin, (x) => 1 / Math.sqrt(1 - x * x));
    case 'arccos':
      return realFunction(a, Math.acos, (x) => 1 / Math.sqrt(1 - x * x));
    case 'arctan':
      return realFunction(a, Math.atan, () => 1);
    case 'exp':
      return exp(a);
    case 'ln':
      return ln(a);
    case 'log':
      return b ? times(ln(a), inverse(ln(b))) : ln(a);
    case 'lg':
      return times(ln(a), real(1 / Math.LN10));
    case 'sqrt':
      return complexPower(a, real(0.5, 0));
    case 'cbrt':
      return realFunction(a, Math.cbrt, (x) => 1 / (3 * Math.cbrt(x) ** 2));
    case 'abs':
      return real(modulus(a), a.error);
    case 'floor':
      return realFunction(
        a,
        (x) => Math.floor(x + a.error),
        () => 0,
      );
    case 'ceil':
      return realFunction(
        a,
        (x) => Math.ceil(x - a.error),
        () => 0,
      );
    case 'factorial':
      return factorial(a);
    case 'binomial':
      return binomial(a, b);
    case 'max':
    case 'min':
      return args.reduce((x, y) => (x.re > y.re === (name === 'max') ? x : y));
    case 'Re':
      return real(a.re, a.error);
    case 'Im':
      return real(a.im, a.error);
    case 'sgn':
      return realFunction(a, Math.sign, () => 0);
    default:
      if (name.startsWith('?')) return point.unknown(name, args);
      throw new NotNumericError(`${name} has no numeric value`);
  }
}

const UNDEFINED: Complex = { re: Number.NaN, im: 0, error: Number.NaN };

/** The whole number that a value is, from 0 on; undefined for other values. */
function count(x: Complex): number | undefined {
  const n = Math.round(x.re);
  return x.im === 0 && n >= 0 && Math.abs(x.re - n) <= 1e-9 * Math.max(1, n) ? n : undefined;
}

/** x! for whole x; infinite beyond the range of doubles. */
function factorial(x: Complex): Complex {
  const n = count(x);
  if (n === undefined) return UNDEFINED;
  if (n > 170) return real(Number.POSITIVE_INFINITY);
  let product = real(1, 0);
  for (let k = 2; k <= n; k++) product = times(product, real(k, 0));
  return product;
}

/** The binomial coefficient of whole numbers; infinite beyond the range of doubles. */
function binomial(a: Complex, b: Complex): Complex {
  const [n, k] = [count(a), count(b)];
  if (n === undefined || k === undefined) return UNDEFINED;
  if (k > n) return real(0, 0);
  const m = Math.min(k, n - k);
  // At least 2^m.
  if (m > 1100) return real(Number.POSITIVE_INFINITY);
  let product = real(1, 0);
  for (let i = 1; i <= m; i++) product = times(product, real((n - m + i) / i));
  return product;
}
