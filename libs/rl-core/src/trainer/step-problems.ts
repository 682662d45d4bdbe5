import { permutation, stream } from '@capo/samples';
import type { TokenisedProblem } from '../tasks/task.js';

/** The problems of a step: the pool in a fresh order every epoch, a function of seed and step alone. */
export function problemsOfStep(
  pool: readonly TokenisedProblem[],
  step: number,
  count: number,
  seed: number,
): TokenisedProblem[] {
  const problems: TokenisedProblem[] = [];
  const orders = new Map<number, Int32Array>();
  for (let i = step * count; i < (step + 1) * count; i++) {
    const epoch = Math.floor(i / pool.length);
    let order = orders.get(epoch);
    if (!order) {
      order = permutation(pool.length, stream(seed, 'prompt-order', epoch));
      orders.set(epoch, order);
    }
    problems.push(pool[order[i % pool.length]]);
  }
  return problems;
}

/**
 * Further problems of a step, for dynamic sampling: the pool in an order of the step's own, `count` for each round.
 *
 * @param round from 1
 */
export function furtherProblems(
  pool: readonly TokenisedProblem[],
  step: number,
  round: number,
  count: number,
  seed: number,
): TokenisedProblem[] {
  const order = permutation(pool.length, stream(seed, 'further-prompts', step));
  return Array.from({ length: count }, (_, i) => pool[order[((round - 1) * count + i) % pool.length]]);
}
