import type { Complex } from './complex.js';
import { exactValue } from './exact.js';
import { type Expression, MINUS_ONE } from './expression.js';
import { type Rational, toNumber } from './rational.js';

/** The largest relative error of a decimal that stands for another value. */
const DECIMAL_TOLERANCE = 1e-4;

/** A decimal as written: its value and what one unit in its last place is worth. */
export interface Decimal {
  value: Rational;
  unit: number;
}

/** The decimal that an expression is written as: `-2.50`, `3.54 \cdot 10^{-7}`. Undefined for anything else. */
export function asDecimal(e: Expression): Decimal | undefined {
  if (e.kind === 'number') return e.places === undefined ? undefined : { value: e.value, unit: 10 ** -e.places };
  if (e.kind !== 'product') return undefined;
  let decimal: Decimal | undefined;
  let scale = 1;
  for (const factor of e.factors) {
    const own = asDecimal(factor);
    if (own && !decimal) decimal = own;
    else if (isPowerOfTen(factor)) scale *= toNumber(exactValue(factor) as Rational);
    else if (factor !== MINUS_ONE) return undefined;
  }
  const value = decimal && exactValue(e);
  return decimal && value ? { value, unit: decimal.unit * scale } : undefined;
}

function isPowerOfTen(e: Expression): boolean {
  const value =
    e.kind === 'power' && e.base.kind === 'number' && e.base.value.n === 10n && e.base.value.d === 1n && exactValue(e);
  return Boolean(value);
}

/**
 * Whether a decimal stands for a value: it is the value rounded or cut at the decimal's last place, and off by at most
 * `DECIMAL_TOLERANCE` of it. A decimal of 14 or more digits may have the error of the double arithmetic that made it.
 *
 * @param unit what one unit in the value's own last place is worth, when it is a decimal too; 0 for an exact value.
 */
export function decimalStandsFor(decimal: Decimal, value: number, unit: number): boolean {
  const written = toNumber(decimal.value);
  const [fine, coarse] = unit > decimal.unit ? [written, value] : [value, written];
  const place = Math.max(decimal.unit, unit);
  const distance = Math.abs(written - value);
  const size = Math.max(Math.abs(written), Math.abs(value));
  if (distance <= 1e-13 * size) return true;
  if (distance > DECIMAL_TOLERANCE * size || decimal.unit === unit) return false;
  const noise = place < 1e-13 * size ? 1e-12 * size : 1e-9 * place;
  const isCut = Math.abs(coarse) <= Math.abs(fine) && distance < place + noise;
  return distance <= place / 2 + noise || isCut;
}

/** The real value of a number that has no exact one; undefined for complex numbers. */
export function realValue(value: Complex): number | undefined {
  return Math.abs(value.im) <= 32 * value.error || value.im === 0 ? value.re : undefined;
}
