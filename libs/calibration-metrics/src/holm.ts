/**
 * Holm's correction (1979): adjusted p-values, in the order of the input, that keep the chance of any false finding
 * among all tests at the level they are compared with. The k-th smallest is multiplied by the number of tests not yet
 * passed; values never fall and never exceed 1.
 *
 * @throws RangeError for a p-value outside [0, 1], naming the index
 */
export function holm(pValues: ArrayLike<number>): Float64Array {
  const n = pValues.length;
  const order = Array.from({ length: n }, (_, i) => i).sort((a, b) => pValues[a] - pValues[b]);
  const adjusted = new Float64Array(n);
  let reached = 0;
  order.forEach((index, rank) => {
    const p = pValues[index];
    if (!(p >= 0 && p <= 1)) throw new RangeError(`p-value ${index} is ${p}`);
    reached = Math.max(reached, Math.min(1, p * (n - rank)));
    adjusted[index] = reached;
  });
  return adjusted;
}
