import { SURROGATES, type Surrogate, surrogateValue } from '@capo/rl-core';
import type { TheoryPart } from './claim.js';

/** The conditions of consistency of a surrogate phi, as found on a grid. */
export interface SurrogateConditions {
  convex: boolean;
  differentiable: boolean;
  nonIncreasing: boolean;
  /** phi'(0) < 0 */
  fallsAtZero: boolean;
  /** phi >= 0; needed for consistency, and the only condition that phi(t) = -t fails. */
  boundedBelow: boolean;
}

const STEP = 1e-4;

/** Checks the conditions at tau = 1 on a grid over [-20, 20] that holds the corner of the hinge. */
export function surrogateConditions(surrogate: Surrogate): SurrogateConditions {
  const phi = (t: number) => surrogateValue(surrogate, t, 1);
  const conditions = { convex: true, differentiable: true, nonIncreasing: true, boundedBelow: true };
  for (let k = -80; k <= 80; k++) {
    const t = k / 4;
    const [left, right] = [(phi(t) - phi(t - STEP)) / STEP, (phi(t + STEP) - phi(t)) / STEP];
    // Rounding of a large value over a small step.
    const noise = (1e-10 * Math.max(1, Math.abs(phi(t)))) / STEP;
    if (left > right + noise) conditions.convex = false;
    // A smooth phi has slopes that differ by the second derivative, at most |phi|, times the step.
    if (right - left > 2 * STEP * Math.max(1, Math.abs(phi(t))) + noise) conditions.differentiable = false;
    if (right > noise) conditions.nonIncreasing = false;
    if (phi(t) < 0) conditions.boundedBelow = false;
  }
  return { ...conditions, fallsAtZero: (phi(STEP) - phi(-STEP)) / (2 * STEP) < -1e-3 };
}

/** Claim 3: the logistic surrogate meets the conditions; which the others fail. */
export function conditionsOfSurrogates(): TheoryPart {
  const all = SURROGATES.map((surrogate) => ({ surrogate, ...surrogateConditions(surrogate) }));
  const of = (name: Surrogate) => all.find(({ surrogate }) => surrogate === name) as SurrogateConditions;
  const meets = ({ convex, differentiable, nonIncreasing, fallsAtZero }: SurrogateConditions) =>
    convex && differentiable && nonIncreasing && fallsAtZero;
  return {
    claims: [
      {
        id: '3a',
        statement: "The logistic surrogate is convex, differentiable, non-increasing, with phi'(0) < 0",
        measured: 'on a grid over [-20, 20]',
        holds: meets(of('logistic')) && of('logistic').boundedBelow,
      },
      {
        id: '3b',
        statement: 'These four alone do not tell it from phi(t) = -t, which meets them too; being bounded below does',
        measured: `linear: the four ${meets(of('linear')) ? 'hold' : 'fail'}, bounded below ${of('linear').boundedBelow ? 'yes' : 'no'}`,
        holds: meets(of('linear')) && !of('linear').boundedBelow,
      },
    ],
    tables: [
      {
        title: 'Conditions of consistency with AUC, checked on a grid',
        header: ['surrogate', 'convex', 'differentiable', 'non-increasing', "phi'(0) < 0", 'bounded below'],
        rows: all.map(({ surrogate, convex, differentiable, nonIncreasing, fallsAtZero, boundedBelow }) => [
          surrogate,
          ...[convex, differentiable, nonIncreasing, fallsAtZero, boundedBelow].map((met) => (met ? 'yes' : 'no')),
        ]),
        notes: ['tau = 1; t from -20 to 20 in quarters.'],
      },
    ],
  };
}
