import { exactValue } from './exact.js';
import { type Expression, foldParts } from './expression.js';
import { add, multiply, ONE, type Rational, ZERO } from './rational.js';

/** Coefficients by monomial: `x^2*y` as `x:2 y:1`, the constant term as the empty text. */
export type Polynomial = ReadonlyMap<string, Rational>;

const MAX_TERMS = 400;
const MAX_DEGREE = 24n;

/**
 * The expression as a polynomial in its variables with exact rational coefficients, multiplied out; null when it is
 * none, or too large. Two polynomials are equal if and only if their coefficients are.
 */
export function asPolynomial(e: Expression): Polynomial | null {
  switch (e.kind) {
    case 'symbol':
      return new Map([[`${e.name}:1`, ONE]]);
    case 'sum':
      return foldParts<Polynomial>(e.terms, new Map(), asPolynomial, addPolynomials);
    case 'product':
      return foldParts<Polynomial>(e.factors, new Map([['', ONE]]), asPolynomial, multiplyPolynomials);
    case 'power':
      return powerOf(e.base, e.exponent);
    default: {
      const value = exactValue(e);
      return value && constant(value);
    }
  }
}

export function samePolynomial(a: Polynomial, b: Polynomial): boolean {
  return (
    a.size === b.size && [...a].every(([monomial, { n, d }]) => b.get(monomial)?.n === n && b.get(monomial)?.d === d)
  );
}

function constant(value: Rational): Polynomial {
  return value.n === 0n ? new Map() : new Map([['', value]]);
}

function powerOf(base: Expression, exponent: Expression): Polynomial | null {
  const value = exactValue({ kind: 'power', base, exponent });
  if (value) return constant(value);
  const n = exactValue(exponent);
  if (n?.d !== 1n || n.n < 0n || n.n > MAX_DEGREE) return null;
  const polynomial = asPolynomial(base);
  let result: Polynomial | null = new Map([['', ONE]]);
  for (let i = 0n; i < n.n && result && polynomial; i++) result = multiplyPolynomials(result, polynomial);
  return polynomial && result;
}

function addPolynomials(a: Polynomial, b: Polynomial): Polynomial | null {
  const sum = new Map(a);
  for (const [monomial, value] of b) if (!addTerm(sum, monomial, value)) return null;
  return sum.size > MAX_TERMS ? null : sum;
}

function multiplyPolynomials(a: Polynomial, b: Polynomial): Polynomial | null {
  if (a.size * b.size > MAX_TERMS * 10) return null;
  const product = new Map<string, Rational>();
  for (const [m, x] of a) {
    for (const [n, y] of b) {
      const value = multiply(x, y);
      const monomial = value && joinMonomials(m, n);
      if (monomial === null || !addTerm(product, monomial, value as Rational)) return null;
    }
  }
  return product.size > MAX_TERMS ? null : product;
}

function addTerm(to: Map<string, Rational>, monomial: string, value: Rational): boolean {
  const sum = add(to.get(monomial) ?? ZERO, value);
  if (!sum) return false;
  if (sum.n === 0n) to.delete(monomial);
  else to.set(monomial, sum);
  return true;
}

function joinMonomials(a: string, b: string): string | null {
  if (a === '' || b === '') return a + b;
  const degrees = new Map<string, number>();
  for (const factor of [...a.split(' '), ...b.split(' ')]) {
    const colon = factor.lastIndexOf(':');
    const name = factor.slice(0, colon);
    degrees.set(name, (degrees.get(name) ?? 0) + Number(factor.slice(colon + 1)));
  }
  if ([...degrees.values()].some((degree) => degree > 10_000)) return null;
  return [...degrees]
    .sort(([x], [y]) => (x < y ? -1 : 1))
    .map(([name, degree]) => `${name}:${degree}`)
    .join(' ');
}
