import { accumulate, at } from './simd';

/** y[row] = table[ids[row]]. */
export function embeddingForward(table: usize, ids: usize, y: usize, rows: i32, width: i32): void {
  for (let row = 0; row < rows; row++) {
    memory.copy(at(y, row * width), at(table, load<i32>(at(ids, row)) * width), (<usize>width) << 2);
  }
}

/** dtable[id] = sum of dy over the rows with that id. */
export function embeddingBackward(ids: usize, dy: usize, dtable: usize, rows: i32, width: i32, vocab: i32): void {
  memory.fill(dtable, 0, (<usize>(vocab * width)) << 2);
  for (let row = 0; row < rows; row++) {
    accumulate(at(dtable, load<i32>(at(ids, row)) * width), at(dy, row * width), 1, width);
  }
}
