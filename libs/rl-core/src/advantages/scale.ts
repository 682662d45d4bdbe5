/**
 * The factor that gives the advantages of a batch unit root mean square, over the responses of groups with any signal.
 * Groups without signal do not count: else the step would grow as they become more. With unit root mean square a
 * method takes steps of the same size as GRPO, whose groups have it by construction (up to sqrt((n - 1) / n)).
 *
 * @param advantages group after group
 * @returns 1 when no group has a signal
 */
export function rootMeanSquareScale(advantages: Float64Array, groupSize: number): number {
  let squares = 0;
  let count = 0;
  for (let start = 0; start < advantages.length; start += groupSize) {
    const group = advantages.subarray(start, start + groupSize);
    if (group.every((advantage) => advantage === 0)) continue;
    for (const advantage of group) squares += advantage * advantage;
    count += group.length;
  }
  return squares > 0 ? Math.sqrt(count / squares) : 1;
}
