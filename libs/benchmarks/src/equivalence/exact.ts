import { type Expression, foldParts } from './expression.js';
import {
  add,
  binomial,
  compare,
  factorial,
  gcd,
  multiply,
  negate,
  ONE,
  power,
  type Rational,
  rational,
  root,
  ZERO,
} from './rational.js';

/**
 * The exact value of an expression, when it is rational and within the limits: whole powers, rational roots,
 * factorials, binomial coefficients, rounding and the like included. Null otherwise. Percent and degree signs are left
 * to the comparison, so they give null here.
 */
export function exactValue(e: Expression): Rational | null {
  switch (e.kind) {
    case 'number':
      return e.value;
    case 'sum':
      return foldParts(e.terms, ZERO, exactValue, add);
    case 'product':
      return foldParts(e.factors, ONE, exactValue, multiply);
    case 'power':
      return exactPower(e.base, e.exponent);
    case 'call':
      return exactCall(e.name, e.args);
    default:
      return null;
  }
}

function exactPower(base: Expression, exponent: Expression): Rational | null {
  const e = exactValue(exponent);
  const b = e && exactValue(base);
  if (!b) return null;
  if (e.d === 1n) return power(b, e.n);
  const r = root(b, e.d);
  return r && power(r, e.n);
}

function exactCall(name: string, args: readonly Expression[]): Rational | null {
  const values: Rational[] = [];
  for (const arg of args) {
    const value = exactValue(arg);
    if (!value) return null;
    values.push(value);
  }
  const [a, b] = values;
  switch (name) {
    case 'factorial':
      return a.d === 1n ? factorial(a.n) : null;
    case 'binomial':
      return a.d === 1n && b.d === 1n ? binomial(a.n, b.n) : null;
    case 'sqrt':
      return root(a, 2n);
    case 'cbrt':
      return root(a, 3n);
    case 'abs':
      return a.n < 0n ? negate(a) : a;
    case 'floor':
      return rational(floor(a));
    case 'ceil':
      return rational(-floor(negate(a)));
    case 'base':
      return inBase(a, b);
    case 'max':
      return values.reduce((x, y) => (compare(x, y) >= 0 ? x : y));
    case 'min':
      return values.reduce((x, y) => (compare(x, y) <= 0 ? x : y));
    case 'gcd':
    case 'lcm':
      return values.every((value) => value.d === 1n) ? commonDivisor(name, values) : null;
    case 'log':
      return b && exactLog(a, b);
    default:
      return null;
  }
}

function commonDivisor(name: 'gcd' | 'lcm', values: readonly Rational[]): Rational | null {
  return values.reduce<Rational | null>((a, b) => {
    if (!a) return null;
    const divisor = gcd(a.n, b.n);
    if (name === 'gcd') return rational(divisor);
    return divisor === 0n ? ZERO : rational((a.n * b.n) / divisor);
  }, values[0]);
}

function floor({ n, d }: Rational): bigint {
  const quotient = n / d;
  return n < 0n && quotient * d !== n ? quotient - 1n : quotient;
}

/** The number whose digits are written in a base from 2 to 10; null when a digit does not exist there. */
function inBase(digits: Rational, base: Rational): Rational | null {
  const b = Number(base.n);
  if (base.d !== 1n || b < 2 || b > 10) return null;
  let value = 0n;
  for (const c of digits.n.toString()) {
    if (Number(c) >= b) return null;
    value = value * base.n + BigInt(c);
  }
  return rational(value);
}

/** `log_b a` when it is a whole number: log_2 8 = 3. */
function exactLog(a: Rational, b: Rational): Rational | null {
  if (a.n <= 0n || b.n <= 1n || b.d !== 1n) return null;
  const inverse = a.n === 1n;
  let value = inverse ? a.d : a.d === 1n ? a.n : 0n;
  let exponent = 0n;
  while (value > 1n && value % b.n === 0n) {
    value /= b.n;
    exponent++;
  }
  return value === 1n ? { n: inverse ? -exponent : exponent, d: 1n } : null;
}
