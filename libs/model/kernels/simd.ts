// The vector pieces that the kernels share. A row of n floats is worked on four at a time, then the rest one by one.

@inline
export function at(base: usize, index: i32): usize {
  return base + (<usize>index << 2);
}

@inline
export function horizontalSum(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3))
  );
}

/** The inner product of two rows. */
@inline
export function dot(a: usize, b: usize, n: i32): f32 {
  let sum = f32x4.splat(0);
  let i = 0;
  for (; i + 4 <= n; i += 4) sum = f32x4.add(sum, f32x4.mul(v128.load(at(a, i)), v128.load(at(b, i))));
  let total = horizontalSum(sum);
  for (; i < n; i++) total += load<f32>(at(a, i)) * load<f32>(at(b, i));
  return total;
}

/** y += scale * x for rows of n floats. */
@inline
export function accumulate(y: usize, x: usize, scale: f32, n: i32): void {
  const factor = f32x4.splat(scale);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    v128.store(at(y, i), f32x4.add(v128.load(at(y, i)), f32x4.mul(factor, v128.load(at(x, i)))));
  }
  for (; i < n; i++) store<f32>(at(y, i), load<f32>(at(y, i)) + scale * load<f32>(at(x, i)));
}

@inline
export function fill(y: usize, value: f32, n: i32): void {
  const v = f32x4.splat(value);
  let i = 0;
  for (; i + 4 <= n; i += 4) v128.store(at(y, i), v);
  for (; i < n; i++) store<f32>(at(y, i), value);
}

/**
 * e^x of four numbers, with a relative error of about 1e-7. Range reduction x = n ln 2 + r with ln 2 in two parts, a
 * polynomial of degree six in r with the Taylor coefficients, and 2^n put into the exponent bits. Arguments are
 * clamped to the range of normal float32 numbers, so that e^-100 is about 1e-38 and not a denormal.
 */
@inline
export function exp4(argument: v128): v128 {
  const x = f32x4.max(f32x4.min(argument, f32x4.splat(88)), f32x4.splat(-87));
  const n = f32x4.nearest(f32x4.mul(x, f32x4.splat(1.4426950408889634)));
  let r = f32x4.sub(x, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(-2.1219444005469057e-4)));
  let p = f32x4.splat(1.0 / 5040.0);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 720.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 120.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 24.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 6.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(0.5));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1));
  const exponent = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return f32x4.mul(p, exponent);
}

/** e^x of one number. */
@inline
export function exp1(x: f32): f32 {
  return f32x4.extract_lane(exp4(f32x4.splat(x)), 0);
}

/** Replaces n scores by exp(score - largest) and returns their sum. `largest` is at least every score. */
@inline
export function exponentiate(scores: usize, largest: f32, n: i32): f32 {
  const shift = f32x4.splat(largest);
  let sum = f32x4.splat(0);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const e = exp4(f32x4.sub(v128.load(at(scores, i)), shift));
    v128.store(at(scores, i), e);
    sum = f32x4.add(sum, e);
  }
  let total = horizontalSum(sum);
  for (; i < n; i++) {
    const e = exp1(load<f32>(at(scores, i)) - largest);
    store<f32>(at(scores, i), e);
    total += e;
  }
  return total;
}

/** The largest of n numbers; n is at least 1. */
@inline
export function maximum(row: usize, n: i32): f32 {
  let largest = load<f32>(row);
  for (let i = 1; i < n; i++) largest = max(largest, load<f32>(at(row, i)));
  return largest;
}

/** The natural logarithm, computed by the host in float64. */
@external("env", "log")
export declare function log(x: f64): f64;
