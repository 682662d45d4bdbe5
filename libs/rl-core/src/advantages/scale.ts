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

/**
 * The factor of scaling by the batch: `1 / (std + 1e-6)` with the standard deviation of all valid rewards of the batch
 * (n - 1), so that a group's weight does not depend on its own spread, as with `group-std`.
 *
 * @param rewards of all groups; NaN marks an invalid one
 * @returns 1 when all valid rewards are equal or fewer than two are valid
 */
export function batchDeviationScale(rewards: ArrayLike<number>): number {
  const valid = Array.from(rewards).filter((reward) => !Number.isNaN(reward));
  const mean = valid.reduce((sum, reward) => sum + reward, 0) / valid.length;
  const squares = valid.reduce((sum, reward) => sum + (reward - mean) ** 2, 0);
  return squares > 0 ? 1 / (Math.sqrt(squares / (valid.length - 1)) + 1e-6) : 1;
}

/**
 * The factor that gives the advantages of one group unit standard deviation around 0, `sqrt(n - 1) / |A|`, over its
 * responses with an advantage; 1 for a group without signal.
 */
export function groupDeviationScale(advantages: ArrayLike<number>): number {
  let squares = 0;
  let count = 0;
  for (let i = 0; i < advantages.length; i++) {
    if (advantages[i] === 0) continue;
    squares += advantages[i] ** 2;
    count++;
  }
  return squares > 0 ? Math.sqrt(Math.max(1, count - 1) / squares) : 1;
}
