import { accumulate, at, dot, fill } from './simd';

/** y = x * rstd * weight, rstd = 1 / sqrt(mean(x^2) + eps), for `rows` rows of `width`; rstd is kept for the gradient. */
export function rmsNormForward(x: usize, weight: usize, y: usize, rstd: usize, rows: i32, width: i32, eps: f32): void {
  for (let row = 0; row < rows; row++) {
    const xr = at(x, row * width);
    const yr = at(y, row * width);
    const scale: f32 = 1 / sqrt<f32>(dot(xr, xr, width) / <f32>width + eps);
    store<f32>(at(rstd, row), scale);
    const factor = f32x4.splat(scale);
    let i = 0;
    for (; i + 4 <= width; i += 4) {
      v128.store(at(yr, i), f32x4.mul(f32x4.mul(v128.load(at(xr, i)), factor), v128.load(at(weight, i))));
    }
    for (; i < width; i++) store<f32>(at(yr, i), load<f32>(at(xr, i)) * scale * load<f32>(at(weight, i)));
  }
}

/** dx = rstd * (dy w - x rstd^2 mean(dy w x)) and dweight = sum over rows of dy x rstd. */
export function rmsNormBackward(
  x: usize,
  weight: usize,
  rstd: usize,
  dy: usize,
  dx: usize,
  dweight: usize,
  rows: i32,
  width: i32,
): void {
  fill(dweight, 0, width);
  for (let row = 0; row < rows; row++) {
    const xr = at(x, row * width);
    const dyr = at(dy, row * width);
    const dxr = at(dx, row * width);
    const scale = load<f32>(at(rstd, row));
    const factor = f32x4.splat(scale);
    // dx first holds dy * w.
    let i = 0;
    for (; i + 4 <= width; i += 4) {
      const g = v128.load(at(dyr, i));
      v128.store(at(dxr, i), f32x4.mul(g, v128.load(at(weight, i))));
      const contribution = f32x4.mul(f32x4.mul(g, v128.load(at(xr, i))), factor);
      v128.store(at(dweight, i), f32x4.add(v128.load(at(dweight, i)), contribution));
    }
    for (; i < width; i++) {
      const g = load<f32>(at(dyr, i));
      store<f32>(at(dxr, i), g * load<f32>(at(weight, i)));
      store<f32>(at(dweight, i), load<f32>(at(dweight, i)) + g * load<f32>(at(xr, i)) * scale);
    }
    const inner = dot(dxr, xr, width);
    accumulate(dxr, xr, (-inner * scale * scale) / <f32>width, width);
    for (i = 0; i + 4 <= width; i += 4) v128.store(at(dxr, i), f32x4.mul(v128.load(at(dxr, i)), factor));
    for (; i < width; i++) store<f32>(at(dxr, i), load<f32>(at(dxr, i)) * scale);
  }
}
