import type { Numbers } from './checks.js';

/**
 * The indices of the items of each group, in the order in which groups first occur.
 *
 * @param groups the group of each item, as an integer id
 * @throws RangeError when there are not `n` ids
 */
export function groupIndices(groups: Numbers, n: number): number[][] {
  if (groups.length !== n) throw new RangeError(`${n} items but ${groups.length} group ids`);
  const byId = new Map<number, number[]>();
  for (let i = 0; i < n; i++) {
    const indices = byId.get(groups[i]);
    if (indices) indices.push(i);
    else byId.set(groups[i], [i]);
  }
  return [...byId.values()];
}
