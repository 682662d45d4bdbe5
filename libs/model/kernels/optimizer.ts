import { at } from './simd';

/**
 * One AdamW step (Loshchilov and Hutter 2019, algorithm 2): the moments in place, the new weights to `updated`.
 * `correction1` and `correction2` are 1 - beta1^t and 1 - beta2^t; `gradientScale` carries the clipping of the norm.
 */
export function adamw(
  parameter: usize,
  updated: usize,
  gradient: usize,
  moment1: usize,
  moment2: usize,
  n: i32,
  learningRate: f32,
  beta1: f32,
  beta2: f32,
  epsilon: f32,
  weightDecay: f32,
  correction1: f32,
  correction2: f32,
  gradientScale: f32,
): void {
  const keep: f32 = 1 - learningRate * weightDecay;
  for (let i = 0; i < n; i++) {
    const g = load<f32>(at(gradient, i)) * gradientScale;
    const m = beta1 * load<f32>(at(moment1, i)) + (1 - beta1) * g;
    const v = beta2 * load<f32>(at(moment2, i)) + (1 - beta2) * g * g;
    store<f32>(at(moment1, i), m);
    store<f32>(at(moment2, i), v);
    const update = m / correction1 / (sqrt<f32>(v / correction2) + epsilon);
    store<f32>(at(updated, i), load<f32>(at(parameter, i)) * keep - learningRate * update);
  }
}

/** The sum of squares of n numbers, in float64. */
export function sumOfSquares(x: usize, n: i32): f64 {
  let sum: f64 = 0;
  for (let i = 0; i < n; i++) {
    const value = <f64>load<f32>(at(x, i));
    sum += value * value;
  }
  return sum;
}
