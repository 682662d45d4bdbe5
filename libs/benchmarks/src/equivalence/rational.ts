import { LIMITS } from './limits.js';

/** An exact rational number in lowest terms with a positive denominator. */
export interface Rational {
  n: bigint;
  d: bigint;
}

export const ZERO: Rational = { n: 0n, d: 1n };
export const ONE: Rational = { n: 1n, d: 1n };

/** `n / d` in lowest terms; null when d is 0 or a part is beyond the limit of bits. */
export function rational(n: bigint, d = 1n): Rational | null {
  if (d === 0n) return null;
  if (d === 1n) return tooLong(n) ? null : { n, d };
  if (tooLong(n) || tooLong(d)) return null;
  const g = gcd(n, d);
  const sign = d < 0n ? -1n : 1n;
  return { n: (sign * n) / g, d: (sign * d) / g };
}

export function add(a: Rational, b: Rational): Rational | null {
  return a.d === b.d && a.d === 1n ? rational(a.n + b.n) : rational(a.n * b.d + b.n * a.d, a.d * b.d);
}

export function multiply(a: Rational, b: Rational): Rational | null {
  return rational(a.n * b.n, a.d * b.d);
}

export function negate(a: Rational): Rational {
  return { n: -a.n, d: a.d };
}

export function equals(a: Rational, b: Rational): boolean {
  return a.n === b.n && a.d === b.d;
}

/** Below 0, 0 or above 0 as a is less than, equal to or greater than b. */
export function compare(a: Rational, b: Rational): number {
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** `a` to a whole power; null beyond the limit of bits, which is checked before the power is taken, and for 0 to a negative power. */
export function power(a: Rational, exponent: bigint): Rational | null {
  if (exponent === 0n) return ONE;
  if (exponent < 0n) return a.n === 0n ? null : power(rational(a.d, a.n) as Rational, -exponent);
  if (abs(a.n) <= 1n && a.d === 1n) return a.n === -1n && exponent % 2n === 0n ? ONE : a;
  const longest = Math.max(bits(a.n), bits(a.d));
  if (exponent > BigInt(LIMITS.bits) || longest * Number(exponent) > LIMITS.bits) return null;
  return { n: a.n ** exponent, d: a.d ** exponent };
}

/** The exact q-th root, when it is rational. */
export function root(a: Rational, q: bigint): Rational | null {
  if (a.n < 0n && q % 2n === 0n) return null;
  const n = integerRoot(abs(a.n), q);
  const d = integerRoot(a.d, q);
  return n === null || d === null ? null : { n: a.n < 0n ? -n : n, d };
}

/** `n!`, null beyond the limit of bits. */
export function factorial(n: bigint): Rational | null {
  if (n < 0n || n > 4000n) return null;
  let product = 1n;
  for (let i = 2n; i <= n; i++) product *= i;
  return rational(product);
}

/** The binomial coefficient of whole numbers 0 <= k; null beyond the limits. */
export function binomial(n: bigint, k: bigint): Rational | null {
  if (n < 0n || k < 0n) return null;
  if (k > n) return ZERO;
  const m = k > n - k ? n - k : k;
  if (m > 4000n || bits(n) > 64) return null;
  let product = 1n;
  for (let i = 1n; i <= m; i++) {
    product = (product * (n - m + i)) / i;
    if (tooLong(product)) return null;
  }
  return { n: product, d: 1n };
}

/** The nearest double; infinite beyond its range. */
export function toNumber({ n, d }: Rational): number {
  if (d === 1n) return Number(n);
  const excess = bits(n) - bits(d);
  // Scaled so that the quotient has at least 64 significant bits.
  const shift = 70 - excess;
  const quotient = shift >= 0 ? (n << BigInt(shift)) / d : n / (d << BigInt(-shift));
  // In two steps, so that a tiny result does not pass through 0.
  const half = Math.trunc(-shift / 2);
  return Number(quotient) * 2 ** half * 2 ** (-shift - half);
}

/** The value of a number as it is written: digits, at most one point, an optional exponent. */
export function fromDecimal(digits: string): Rational | null {
  const match = /^(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/.exec(digits);
  if (!match || (match[1] === '' && !match[2])) return null;
  const fraction = match[2] ?? '';
  const exponent = Number(match[3] ?? 0) - fraction.length;
  if (match[1].length + fraction.length > 10_000 || Math.abs(exponent) > 10_000) return null;
  const n = BigInt(match[1] + fraction);
  return exponent >= 0 ? rational(n * 10n ** BigInt(exponent)) : rational(n, 10n ** BigInt(-exponent));
}

/** The decimal or fraction, as text. */
export function printRational({ n, d }: Rational): string {
  return d === 1n ? `${n}` : `${n}/${d}`;
}

function abs(n: bigint): bigint {
  return n < 0n ? -n : n;
}

/** The greatest common divisor, never negative. */
export function gcd(a: bigint, b: bigint): bigint {
  let x = abs(a);
  let y = abs(b);
  while (y > 0n) [x, y] = [y, x % y];
  return x;
}

function bits(n: bigint): number {
  const magnitude = abs(n);
  return magnitude <= 0xffffffffn ? 32 - Math.clz32(Number(magnitude)) : magnitude.toString(16).length * 4;
}

function tooLong(n: bigint): boolean {
  return n > 0xffffffffn || n < -0xffffffffn ? bits(n) > LIMITS.bits : false;
}

function integerRoot(n: bigint, q: bigint): bigint | null {
  if (n < 2n) return n;
  if (q > 4096n) return null;
  // Newton from above; the start is a power of two that is at least the root.
  let x = 1n << (BigInt(bits(n)) / q + 1n);
  for (;;) {
    const next = ((q - 1n) * x + n / x ** (q - 1n)) / q;
    if (next >= x) break;
    x = next;
  }
  return x ** q === n ? x : null;
}
