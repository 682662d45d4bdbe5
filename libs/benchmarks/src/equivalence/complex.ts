/** A complex number and a bound of its error, from the double arithmetic that made it. */
export interface Complex {
  re: number;
  im: number;
  error: number;
}

const EPSILON = 2 ** -52;

export function real(re: number, error = Math.abs(re) * EPSILON): Complex {
  return { re, im: 0, error };
}

export function modulus(a: Complex): number {
  return a.im === 0 ? Math.abs(a.re) : Math.hypot(a.re, a.im);
}

export function plus(a: Complex, b: Complex): Complex {
  const sum = { re: a.re + b.re, im: a.im + b.im, error: 0 };
  sum.error = a.error + b.error + EPSILON * modulus(sum);
  return sum;
}

export function times(a: Complex, b: Complex): Complex {
  const product =
    a.im === 0 && b.im === 0
      ? { re: a.re * b.re, im: 0, error: 0 }
      : { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re, error: 0 };
  const [x, y] = [modulus(a), modulus(b)];
  product.error = x * b.error + y * a.error + 4 * EPSILON * x * y;
  return product;
}

/** `1 / a`; not finite at 0 and where 0 is within the error. */
export function inverse(a: Complex): Complex {
  const m = modulus(a);
  if (m <= a.error) return { re: Number.NaN, im: Number.NaN, error: Number.NaN };
  const r = 1 / m;
  return { re: a.re * r * r, im: a.im === 0 ? 0 : -a.im * r * r, error: a.error * r * r * 2 + 4 * EPSILON * r };
}

/** The natural logarithm on its principal branch. */
export function ln(a: Complex): Complex {
  const m = modulus(a);
  return {
    re: Math.log(m),
    im: a.im === 0 && a.re > 0 ? 0 : Math.atan2(a.im, a.re),
    error: a.error / m + 4 * EPSILON * (1 + Math.abs(Math.log(m))),
  };
}

export function exp(a: Complex): Complex {
  const m = Math.exp(a.re);
  return {
    re: a.im === 0 ? m : m * Math.cos(a.im),
    im: a.im === 0 ? 0 : m * Math.sin(a.im),
    error: m * (a.error + 4 * EPSILON * (1 + modulus(a))),
  };
}

/** `a` to the power of whole `n`, by squaring. */
export function wholePower(a: Complex, n: number): Complex {
  if (n < 0) return inverse(wholePower(a, -n));
  let result = real(1, 0);
  let square = a;
  for (let rest = n; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = times(result, square);
    if (rest > 1) square = times(square, square);
  }
  return result;
}

/** `a` to the power `b` on the principal branch; 0 for a base of 0 and an exponent with a positive real part. */
export function complexPower(a: Complex, b: Complex): Complex {
  if (a.re === 0 && a.im === 0) return b.re > 0 ? real(0, 0) : { re: Number.NaN, im: 0, error: Number.NaN };
  if (a.im === 0 && b.im === 0 && a.re > 0) {
    const value = a.re ** b.re;
    return real(
      value,
      Math.abs(value) * (Math.abs(b.re) * (a.error / a.re) + Math.abs(Math.log(a.re)) * b.error + 8 * EPSILON),
    );
  }
  return exp(times(b, ln(a)));
}

/** A real function of a real argument with the bound of its error from a derivative. */
export function realFunction(a: Complex, f: (x: number) => number, derivative: (x: number) => number): Complex {
  if (a.im !== 0) return { re: Number.NaN, im: Number.NaN, error: Number.NaN };
  const value = f(a.re);
  return real(value, Math.abs(derivative(a.re)) * a.error + 4 * EPSILON * Math.abs(value));
}

export function isFiniteNumber(a: Complex): boolean {
  return Number.isFinite(a.re) && Number.isFinite(a.im) && Number.isFinite(a.error);
}

/**
 * Whether two numbers agree as far as their errors let tell: within a small multiple of the bounds, and of the
 * precision of doubles relative to their size.
 */
export function agree(a: Complex, b: Complex): boolean {
  const distance = Math.hypot(a.re - b.re, a.im - b.im);
  return distance <= 32 * (a.error + b.error) + 64 * EPSILON * Math.min(modulus(a), modulus(b));
}
