import { type Surrogate, surrogateWeight } from './surrogate.js';

/** The open choices of CAPO's advantage; `docs/methods/capo.md` gives the reason of each default. */
export interface CapoAdvantageOptions {
  /** Temperature of the logistic surrogate: 0.6 for the paper's 1.5B model, 0.5 for its 7B model. */
  tau: number;
  /** What the sum over pairs is divided by. Default in the methods: the group's size. */
  pairScale: 'group-size' | 'opposite-count' | 'none';
  /** Whether the factor 1 / tau of the surrogate's derivative is kept. */
  tauFactor: boolean;
  /** The convex surrogate phi of the order of a pair; default logistic. The others are ablations. */
  surrogate?: Surrogate;
}

/**
 * CAPO's advantage of each response of one group (Wang et al., ACL 2026, arXiv 2604.12632, section 3 of our notes): the
 * gradient of the logistic AUC surrogate with respect to the response's log-probability. A right response i gets
 * `+sum over wrong j of (1/tau) sigmoid(-(lpm_i - lpm_j) / tau)`, a wrong response the same sum over right ones with a
 * minus. Pairs in the wrong order weigh most; pairs well apart fade. Another surrogate puts its own
 * weight in place of the sigmoid. The advantages of a group sum to zero when the
 * scale is the group's size or none.
 *
 * @param rewards of the group: 1 right, 0 wrong, NaN invalid (gets 0 and is nobody's partner)
 * @param lpm length-normalised log-probabilities under the policy that drew the responses; NaN for a response without
 *   tokens, which gets 0 and is nobody's partner
 * @returns one advantage per response; all 0 when the group holds no pair of a right and a wrong response
 */
export function capoAdvantages(
  rewards: ArrayLike<number>,
  lpm: ArrayLike<number>,
  options: CapoAdvantageOptions,
): Float64Array {
  if (rewards.length !== lpm.length) {
    throw new RangeError(`${rewards.length} rewards but ${lpm.length} log-probabilities`);
  }
  if (!(options.tau > 0)) throw new RangeError(`tau is ${options.tau}; it must be positive`);
  const right: number[] = [];
  const wrong: number[] = [];
  for (let i = 0; i < rewards.length; i++) {
    if (Number.isNaN(rewards[i]) || Number.isNaN(lpm[i])) continue;
    (rewards[i] > 0 ? right : wrong).push(i);
  }
  const advantages = new Float64Array(rewards.length);
  const factor = options.tauFactor ? 1 / options.tau : 1;
  for (const i of right) {
    for (const j of wrong) {
      const weight = factor * surrogateWeight(options.surrogate ?? 'logistic', lpm[i] - lpm[j], options.tau);
      advantages[i] += weight;
      advantages[j] -= weight;
    }
  }
  const groupSize = right.length + wrong.length;
  for (const i of right) advantages[i] /= pairDivisor(options.pairScale, groupSize, wrong.length);
  for (const j of wrong) advantages[j] /= pairDivisor(options.pairScale, groupSize, right.length);
  return advantages;
}

function pairDivisor(scale: CapoAdvantageOptions['pairScale'], groupSize: number, opposite: number): number {
  if (scale === 'group-size') return groupSize;
  return scale === 'opposite-count' ? Math.max(1, opposite) : 1;
}
