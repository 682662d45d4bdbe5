import { at, exp1, exp4, horizontalSum, log, maximum } from './simd';

/**
 * The log-probability of one token per row under softmax(logits * inverseTemperature), and the entropy of that
 * distribution in nats. `lse` keeps log(sum exp) for the gradient. A negative target marks a row that does not count:
 * its log-probability and entropy are 0.
 */
export function tokenLogprobForward(
  logits: usize,
  targets: usize,
  logprob: usize,
  entropy: usize,
  lse: usize,
  rows: i32,
  vocab: i32,
  inverseTemperature: f32,
): void {
  const factor = f32x4.splat(inverseTemperature);
  for (let row = 0; row < rows; row++) {
    const target = load<i32>(at(targets, row));
    if (target < 0) {
      store<f32>(at(logprob, row), 0);
      store<f32>(at(entropy, row), 0);
      store<f32>(at(lse, row), 0);
      continue;
    }
    const line = at(logits, row * vocab);
    const largest = maximum(line, vocab) * inverseTemperature;
    const shift = f32x4.splat(largest);
    let sum4 = f32x4.splat(0);
    let weighted4 = f32x4.splat(0);
    let i = 0;
    for (; i + 4 <= vocab; i += 4) {
      const z = f32x4.sub(f32x4.mul(v128.load(at(line, i)), factor), shift);
      const e = exp4(z);
      sum4 = f32x4.add(sum4, e);
      weighted4 = f32x4.add(weighted4, f32x4.mul(e, z));
    }
    let sum = horizontalSum(sum4);
    let weighted = horizontalSum(weighted4);
    for (; i < vocab; i++) {
      const z = load<f32>(at(line, i)) * inverseTemperature - largest;
      const e = exp1(z);
      sum += e;
      weighted += e * z;
    }
    const logSum = log(<f64>sum);
    store<f32>(at(lse, row), <f32>(logSum + <f64>largest));
    const z = <f64>(load<f32>(at(line, target)) * inverseTemperature - largest);
    store<f32>(at(logprob, row), <f32>(z - logSum));
    store<f32>(at(entropy, row), <f32>(logSum - <f64>weighted / <f64>sum));
  }
}

/** dlogits = dlogprob * inverseTemperature * (one-hot(target) - softmax); rows that do not count get zero. */
export function tokenLogprobBackward(
  logits: usize,
  targets: usize,
  lse: usize,
  dlogprob: usize,
  dlogits: usize,
  rows: i32,
  vocab: i32,
  inverseTemperature: f32,
): void {
  const factor = f32x4.splat(inverseTemperature);
  for (let row = 0; row < rows; row++) {
    const target = load<i32>(at(targets, row));
    const line = at(logits, row * vocab);
    const gradient = at(dlogits, row * vocab);
    const scale: f32 = target < 0 ? 0 : load<f32>(at(dlogprob, row)) * inverseTemperature;
    if (scale == 0) {
      memory.fill(gradient, 0, (<usize>vocab) << 2);
      continue;
    }
    const normaliser = load<f32>(at(lse, row));
    const shift = f32x4.splat(normaliser);
    const negative = f32x4.splat(-scale);
    let i = 0;
    for (; i + 4 <= vocab; i += 4) {
      const p = exp4(f32x4.sub(f32x4.mul(v128.load(at(line, i)), factor), shift));
      v128.store(at(gradient, i), f32x4.mul(negative, p));
    }
    for (; i < vocab; i++) {
      store<f32>(at(gradient, i), -scale * exp1(load<f32>(at(line, i)) * inverseTemperature - normaliser));
    }
    store<f32>(at(gradient, target), load<f32>(at(gradient, target)) + scale);
  }
}
