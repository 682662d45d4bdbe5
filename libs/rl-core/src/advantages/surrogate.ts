/** The surrogates of the order of a pair that CAPO can be trained with; the paper's is the logistic one. */
export const SURROGATES = ['logistic', 'linear', 'hinge', 'exponential'] as const;
export type Surrogate = (typeof SURROGATES)[number];

/** Beyond this the exponential's weight is capped, so that one pair far in the wrong order is not the whole gradient. */
const LARGEST_EXPONENT = 30;

/**
 * A convex surrogate of "the pair is in the wrong order" at the difference t = lpm(right) - lpm(wrong), with u = t / tau:
 * logistic `log(1 + e^-u)`, linear `-u` (the one behind reward-centred advantages), hinge `max(0, 1 - u)`,
 * exponential `e^-u`.
 */
export function surrogateValue(surrogate: Surrogate, t: number, tau: number): number {
  const u = t / tau;
  if (surrogate === 'linear') return -u;
  if (surrogate === 'hinge') return Math.max(0, 1 - u);
  if (surrogate === 'exponential') return Math.exp(-u);
  // log(1 + e^-u) without overflow.
  return Math.max(0, -u) + Math.log1p(Math.exp(-Math.abs(u)));
}

/**
 * The weight of a pair in the gradient of a surrogate: minus its derivative, without the factor 1 / tau. Logistic
 * `sigmoid(-u)`, linear 1 (every pair alike), hinge 1 below the margin u = 1 and 0 from there on, exponential `e^-u`
 * (capped at e^30).
 */
export function surrogateWeight(surrogate: Surrogate, t: number, tau: number): number {
  if (surrogate === 'linear') return 1;
  if (surrogate === 'hinge') return t < tau ? 1 : 0;
  if (surrogate === 'exponential') return Math.exp(Math.min(-t / tau, LARGEST_EXPONENT));
  return pairWeight(t, tau);
}

/**
 * The derivative of the logistic surrogate `phi_tau(t) = log(1 + exp(-t / tau))` without its factor 1 / tau, with the
 * sign turned: `sigmoid(-t / tau)`. It is near 1 for a pair in the wrong order (t < 0) and near 0 for one well apart.
 */
export function pairWeight(t: number, tau: number): number {
  // exp of a negative number only, so that nothing overflows.
  if (t >= 0) {
    const e = Math.exp(-t / tau);
    return e / (1 + e);
  }
  return 1 / (1 + Math.exp(t / tau));
}
