import jStat from 'jstat';

/**
 * The smallest true mean difference that a paired comparison of n units finds with the given power:
 * `(z_{1 - alpha/2} + z_{power}) s / sqrt(n)`, by the normal approximation (Cohen 1988), which is a little small for few
 * units.
 *
 * @param deviation the standard deviation of the paired differences
 * @param n units, for instance prompts or seeds; at least 2
 */
export function smallestDetectableDifference(deviation: number, n: number, { alpha = 0.05, power = 0.8 } = {}): number {
  if (!(deviation >= 0)) throw new RangeError(`the deviation is ${deviation}`);
  if (!(Number.isInteger(n) && n >= 2)) throw new RangeError(`n is ${n}; at least 2 units are needed`);
  const z = jStat.normal.inv(1 - alpha / 2, 0, 1) + jStat.normal.inv(power, 0, 1);
  return (z * deviation) / Math.sqrt(n);
}
