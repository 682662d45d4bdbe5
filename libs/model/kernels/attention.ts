import { accumulate, at, dot, exp1, exponentiate, fill, log, maximum } from './simd';

// Rows are packed [q: heads * headDim | k: kvHeads * headDim | v: kvHeads * headDim] and already rotated.

/**
 * Causal grouped-query attention over `batch` sequences that stand one after the other: sequence b has the rows
 * starts[b] .. starts[b + 1] - 1. out: [rows, heads * headDim]. `lse` [rows, heads] keeps log(sum exp(scores)), from
 * which the gradient computes the probabilities again, so that memory grows with the length and not with its square.
 * `scores` is scratch for as many floats as the longest sequence has rows.
 */
export function attentionForward(
  qkv: usize,
  starts: usize,
  out: usize,
  lse: usize,
  scores: usize,
  batch: i32,
  heads: i32,
  kvHeads: i32,
  headDim: i32,
): void {
  const width = (heads + 2 * kvHeads) * headDim;
  const outWidth = heads * headDim;
  const scale: f32 = 1 / sqrt<f32>(<f32>headDim);
  const group = heads / kvHeads;
  for (let b = 0; b < batch; b++) {
    const start = load<i32>(at(starts, b));
    const length = load<i32>(at(starts, b + 1)) - start;
    const base = at(qkv, start * width);
    for (let head = 0; head < heads; head++) {
      const keys = at(base, (heads + head / group) * headDim);
      const values = at(keys, kvHeads * headDim);
      for (let i = 0; i < length; i++) {
        const query = at(base, i * width + head * headDim);
        for (let j = 0; j <= i; j++) store<f32>(at(scores, j), dot(query, at(keys, j * width), headDim) * scale);
        const largest = maximum(scores, i + 1);
        const sum = exponentiate(scores, largest, i + 1);
        store<f32>(at(lse, (start + i) * heads + head), <f32>(log(<f64>sum) + <f64>largest));
        const target = at(out, (start + i) * outWidth + head * headDim);
        fill(target, 0, headDim);
        const inverse: f32 = 1 / sum;
        for (let j = 0; j <= i; j++) {
          accumulate(target, at(values, j * width), load<f32>(at(scores, j)) * inverse, headDim);
        }
      }
    }
  }
}

/** The gradient of `attentionForward` with respect to the packed rows; `out` and `lse` are what the forward pass gave. */
export function attentionBackward(
  qkv: usize,
  starts: usize,
  out: usize,
  lse: usize,
  dout: usize,
  dqkv: usize,
  batch: i32,
  heads: i32,
  kvHeads: i32,
  headDim: i32,
): void {
  const width = (heads + 2 * kvHeads) * headDim;
  const outWidth = heads * headDim;
  const scale: f32 = 1 / sqrt<f32>(<f32>headDim);
  const group = heads / kvHeads;
  fill(dqkv, 0, load<i32>(at(starts, batch)) * width);
  for (let b = 0; b < batch; b++) {
    const start = load<i32>(at(starts, b));
    const length = load<i32>(at(starts, b + 1)) - start;
    for (let head = 0; head < heads; head++) {
      const keyColumn = (heads + head / group) * headDim;
      const valueColumn = keyColumn + kvHeads * headDim;
      for (let i = 0; i < length; i++) {
        const query = (start + i) * width + head * headDim;
        const outRow = (start + i) * outWidth + head * headDim;
        const gradient = at(dout, outRow);
        const normaliser = load<f32>(at(lse, (start + i) * heads + head));
        // sum_j p_j dp_j equals the inner product of the output and its gradient.
        const mean = dot(at(out, outRow), gradient, headDim);
        for (let j = 0; j <= i; j++) {
          const row = (start + j) * width;
          const p = exp1(dot(at(qkv, query), at(qkv, row + keyColumn), headDim) * scale - normaliser);
          const dscore = p * (dot(gradient, at(qkv, row + valueColumn), headDim) - mean) * scale;
          accumulate(at(dqkv, row + valueColumn), gradient, p, headDim);
          accumulate(at(dqkv, query), at(qkv, row + keyColumn), dscore, headDim);
          accumulate(at(dqkv, row + keyColumn), at(qkv, query), dscore, headDim);
        }
      }
    }
  }
}

/**
 * One decoding step with a key-value cache. Row b of `qkv` is the new token of sequence b at `positions[b]`; its key
 * and value are written to that slot of the cache [batch, capacity, kvHeads * headDim], then it attends to the slots
 * 0..positions[b]. A negative position marks a row that is not in use: its output is zero.
 */
export function attentionDecode(
  qkv: usize,
  keyCache: usize,
  valueCache: usize,
  positions: usize,
  out: usize,
  scores: usize,
  batch: i32,
  capacity: i32,
  heads: i32,
  kvHeads: i32,
  headDim: i32,
): void {
  const width = (heads + 2 * kvHeads) * headDim;
  const kvWidth = kvHeads * headDim;
  const scale: f32 = 1 / sqrt<f32>(<f32>headDim);
  const group = heads / kvHeads;
  for (let b = 0; b < batch; b++) {
    const row = at(qkv, b * width);
    const position = load<i32>(at(positions, b));
    const outRow = at(out, b * heads * headDim);
    if (position < 0) {
      fill(outRow, 0, heads * headDim);
      continue;
    }
    const slot = (b * capacity + position) * kvWidth;
    memory.copy(at(keyCache, slot), at(row, heads * headDim), (<usize>kvWidth) << 2);
    memory.copy(at(valueCache, slot), at(row, heads * headDim + kvWidth), (<usize>kvWidth) << 2);
    for (let head = 0; head < heads; head++) {
      const column = (head / group) * headDim;
      const keys = at(keyCache, b * capacity * kvWidth + column);
      const values = at(valueCache, b * capacity * kvWidth + column);
      const query = at(row, head * headDim);
      for (let j = 0; j <= position; j++) store<f32>(at(scores, j), dot(query, at(keys, j * kvWidth), headDim) * scale);
      const inverse: f32 = 1 / exponentiate(scores, maximum(scores, position + 1), position + 1);
      const target = at(outRow, head * headDim);
      fill(target, 0, headDim);
      for (let j = 0; j <= position; j++) {
        accumulate(target, at(values, j * kvWidth), load<f32>(at(scores, j)) * inverse, headDim);
      }
    }
  }
}
