/**
 * The points of a line without those that nobody could see are missing (Douglas and Peucker 1973): no point of the
 * original is further than `tolerance` from what is left. A curve over 100,000 samples becomes a few hundred points, and
 * the file a few kilobytes, without a visible change. First and last point stay.
 *
 * @param xs, ys the points, in units in which the tolerance is the same in both directions
 * @returns the indices that are kept, in order
 */
export function simplifyLine(xs: ArrayLike<number>, ys: ArrayLike<number>, tolerance: number): number[] {
  const n = xs.length;
  if (n <= 2) return Array.from({ length: n }, (_, i) => i);
  const keep = new Uint8Array(n);
  keep[0] = keep[n - 1] = 1;
  const stack: [number, number][] = [[0, n - 1]];
  for (let range = stack.pop(); range; range = stack.pop()) {
    const [first, last] = range;
    let [farthest, distance] = [-1, tolerance];
    for (let i = first + 1; i < last; i++) {
      const away = distanceToSegment(xs[i], ys[i], xs[first], ys[first], xs[last], ys[last]);
      if (away > distance) [farthest, distance] = [i, away];
    }
    if (farthest < 0) continue;
    keep[farthest] = 1;
    stack.push([first, farthest], [farthest, last]);
  }
  const kept: number[] = [];
  for (let i = 0; i < n; i++) if (keep[i]) kept.push(i);
  return kept;
}

function distanceToSegment(x: number, y: number, x0: number, y0: number, x1: number, y1: number): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const squared = dx * dx + dy * dy;
  const part = squared > 0 ? Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / squared)) : 0;
  return Math.hypot(x - x0 - part * dx, y - y0 - part * dy);
}
