import { at } from './simd';

/**
 * Rotary positions on a packed row [q heads | k heads | v heads]: the first `rotated` heads of `headDim` are turned,
 * the `plain` floats that follow are copied. Pairs are (i, i + headDim / 2), as in Hugging Face's Llama and Qwen2.
 * `angles` holds a row [cos | sin] of headDim / 2 each per position; `direction` is 1, or -1 for the gradient.
 */
export function rotate(
  x: usize,
  y: usize,
  positions: usize,
  angles: usize,
  rows: i32,
  rotated: i32,
  plain: i32,
  headDim: i32,
  direction: f32,
): void {
  const half = headDim >> 1;
  const width = rotated * headDim + plain;
  for (let row = 0; row < rows; row++) {
    const cos = at(angles, load<i32>(at(positions, row)) * headDim);
    const sin = at(cos, half);
    let source = at(x, row * width);
    let target = at(y, row * width);
    for (let head = 0; head < rotated; head++) {
      const source2 = at(source, half);
      const target2 = at(target, half);
      let i = 0;
      const sign = f32x4.splat(direction);
      for (; i + 4 <= half; i += 4) {
        const c = v128.load(at(cos, i));
        const s = f32x4.mul(v128.load(at(sin, i)), sign);
        const a = v128.load(at(source, i));
        const b = v128.load(at(source2, i));
        v128.store(at(target, i), f32x4.sub(f32x4.mul(a, c), f32x4.mul(b, s)));
        v128.store(at(target2, i), f32x4.add(f32x4.mul(b, c), f32x4.mul(a, s)));
      }
      for (; i < half; i++) {
        const c = load<f32>(at(cos, i));
        const s = load<f32>(at(sin, i)) * direction;
        const a = load<f32>(at(source, i));
        const b = load<f32>(at(source2, i));
        store<f32>(at(target, i), a * c - b * s);
        store<f32>(at(target2, i), b * c + a * s);
      }
      source = at(source, headDim);
      target = at(target, headDim);
    }
    memory.copy(target, source, (<usize>plain) << 2);
  }
}
