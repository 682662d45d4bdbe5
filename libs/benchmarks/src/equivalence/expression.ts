import type { Rational } from './rational.js';

/** A mathematical expression. Division is a product with a power of -1, and subtraction a sum with a product by -1. */
export type Expression =
  | NumberLiteral
  | { kind: 'symbol'; name: string }
  | { kind: 'constant'; name: 'pi' | 'e' | 'i' | 'infinity' }
  | { kind: 'sum'; terms: Expression[] }
  | { kind: 'product'; factors: Expression[] }
  | { kind: 'power'; base: Expression; exponent: Expression }
  /** A known function, or an unknown one such as `f(x)` and `F_{n-1}`, whose name then starts with `?`. */
  | { kind: 'call'; name: string; args: Expression[] }
  /** `\sum` and `\prod` with an index that runs over whole numbers. */
  | { kind: 'series'; name: 'sum' | 'product'; index: string; from: Expression; to: Expression; body: Expression }
  | { kind: 'matrix'; rows: Expression[][] }
  /** `sign` 1 is plus-minus, -1 is minus-plus. */
  | { kind: 'plus-minus'; sign: 1 | -1; arg: Expression }
  | { kind: 'percent'; arg: Expression }
  | { kind: 'degree'; arg: Expression };

interface NumberLiteral {
  kind: 'number';
  value: Rational;
  /** Digits after the point as written; undefined for a whole number or fraction, which is exact. */
  places?: number;
}

export const MINUS_ONE: Expression = { kind: 'number', value: { n: -1n, d: 1n } };

export function integer(value: number | bigint): Expression {
  return { kind: 'number', value: { n: BigInt(value), d: 1n } };
}

export function negative(arg: Expression): Expression {
  if (arg.kind === 'number') return { ...arg, value: { n: -arg.value.n, d: arg.value.d } };
  return { kind: 'product', factors: [MINUS_ONE, arg] };
}

export function difference(a: Expression, b: Expression): Expression {
  return { kind: 'sum', terms: [a, negative(b)] };
}

export function quotient(a: Expression, b: Expression): Expression {
  return { kind: 'product', factors: [a, { kind: 'power', base: b, exponent: MINUS_ONE }] };
}

/** The direct parts of an expression. */
function children(e: Expression): readonly Expression[] {
  switch (e.kind) {
    case 'sum':
      return e.terms;
    case 'product':
      return e.factors;
    case 'power':
      return [e.base, e.exponent];
    case 'call':
      return e.args;
    case 'series':
      return [e.from, e.to, e.body];
    case 'matrix':
      return e.rows.flat();
    case 'plus-minus':
    case 'percent':
    case 'degree':
      return [e.arg];
    default:
      return [];
  }
}

/** The same expression with its direct parts replaced. */
export function mapChildren(e: Expression, map: (part: Expression) => Expression): Expression {
  switch (e.kind) {
    case 'sum':
      return { ...e, terms: e.terms.map(map) };
    case 'product':
      return { ...e, factors: e.factors.map(map) };
    case 'power':
      return { ...e, base: map(e.base), exponent: map(e.exponent) };
    case 'call':
      return { ...e, args: e.args.map(map) };
    case 'series':
      return { ...e, from: map(e.from), to: map(e.to), body: map(e.body) };
    case 'matrix':
      return { ...e, rows: e.rows.map((row) => row.map(map)) };
    case 'plus-minus':
    case 'percent':
    case 'degree':
      return { ...e, arg: map(e.arg) };
    default:
      return e;
  }
}

/** Whether the expression or a part of it satisfies a test. */
export function some(e: Expression, test: (part: Expression) => boolean): boolean {
  return test(e) || children(e).some((part) => some(part, test));
}

/** The names of the variables, those that a series binds left out. */
export function variables(e: Expression, into = new Set<string>()): Set<string> {
  if (e.kind === 'symbol') into.add(e.name);
  if (e.kind === 'series') {
    const inner = variables(e.body);
    inner.delete(e.index);
    for (const name of inner) into.add(name);
    variables(e.from, into);
    variables(e.to, into);
  } else for (const part of children(e)) variables(part, into);
  return into;
}

/** The values of all parts joined, from a start; null as soon as a part has no value, or it cannot be joined. */
export function foldParts<T>(
  parts: readonly Expression[],
  start: T,
  evaluate: (part: Expression) => T | null,
  join: (a: T, b: T) => T | null,
): T | null {
  let result: T | null = start;
  for (const part of parts) {
    const value = evaluate(part);
    result = value && join(result, value);
    if (!result) return null;
  }
  return result;
}
