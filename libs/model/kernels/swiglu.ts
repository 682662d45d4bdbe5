import { at, exp1, exp4 } from './simd';

/** y = silu(gate) * up for rows packed [gate: width | up: width], silu(g) = g / (1 + e^-g). */
export function swigluForward(x: usize, y: usize, rows: i32, width: i32): void {
  const one = f32x4.splat(1);
  for (let row = 0; row < rows; row++) {
    const gate = at(x, row * 2 * width);
    const up = at(gate, width);
    const target = at(y, row * width);
    let i = 0;
    for (; i + 4 <= width; i += 4) {
      const g = v128.load(at(gate, i));
      const silu = f32x4.div(g, f32x4.add(one, exp4(f32x4.neg(g))));
      v128.store(at(target, i), f32x4.mul(silu, v128.load(at(up, i))));
    }
    for (; i < width; i++) {
      const g = load<f32>(at(gate, i));
      store<f32>(at(target, i), (g / (1 + exp1(-g))) * load<f32>(at(up, i)));
    }
  }
}

/** The gradient of `swigluForward`: dgate = dy up s (1 + g (1 - s)) with s = sigmoid(g), dup = dy g s. */
export function swigluBackward(x: usize, dy: usize, dx: usize, rows: i32, width: i32): void {
  const one = f32x4.splat(1);
  for (let row = 0; row < rows; row++) {
    const gate = at(x, row * 2 * width);
    const up = at(gate, width);
    const dyr = at(dy, row * width);
    const dgate = at(dx, row * 2 * width);
    const dup = at(dgate, width);
    let i = 0;
    for (; i + 4 <= width; i += 4) {
      const g = v128.load(at(gate, i));
      const s = f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(g))));
      const d = v128.load(at(dyr, i));
      v128.store(at(dup, i), f32x4.mul(d, f32x4.mul(g, s)));
      const slope = f32x4.mul(s, f32x4.add(one, f32x4.mul(g, f32x4.sub(one, s))));
      v128.store(at(dgate, i), f32x4.mul(f32x4.mul(d, v128.load(at(up, i))), slope));
    }
    for (; i < width; i++) {
      const g = load<f32>(at(gate, i));
      const s: f32 = 1 / (1 + exp1(-g));
      const d = load<f32>(at(dyr, i));
      store<f32>(at(dup, i), d * g * s);
      store<f32>(at(dgate, i), d * load<f32>(at(up, i)) * s * (1 + g * (1 - s)));
    }
  }
}
