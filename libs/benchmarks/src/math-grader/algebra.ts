import { ComputeEngine } from '@cortex-js/compute-engine';
import type { Algebra } from './judge.js';

/**
 * The last step of the grader: a computer algebra system for what is beyond our own reading, such as integrals and
 * limits. It can take for ever, so that it may only run in a thread that can be killed.
 */
export function computeEngineAlgebra(): Algebra {
  const engine = new ComputeEngine();
  return (gold, answer) => {
    const [a, b] = [engine.parse(gold), engine.parse(answer)];
    if (!a.isValid || !b.isValid) return undefined;
    if (a.isEqual(b) === true) return true;
    // "Not equal" is also what it says of what it works out by sampling, an integral for one: only numbers that are
    // far apart are believed to differ.
    const [x, y] = [Number(a.N().valueOf()), Number(b.N().valueOf())];
    return Number.isFinite(x) && Number.isFinite(y) && Math.abs(x - y) > 0.05 * Math.max(Math.abs(x), Math.abs(y))
      ? false
      : undefined;
  };
}
