import { surrogateValue } from '@capo/rl-core';
import { type RandomStream, stream } from '@capo/samples';
import type { TheoryPart } from './claim.js';
import {
  classConditionals,
  type LabelledDistribution,
  misranked,
  pairRisk,
  randomDistribution,
} from './pair-distribution.js';

/** What a scorer loses against the best one, in AUC and in the logistic surrogate (tau = 1). */
export interface Regrets {
  /** L(f) - L*, with L = 1 - AUC. */
  auc: number;
  /** L_phi(f) - L_phi*. */
  logistic: number;
}

const logistic = (t: number) => surrogateValue('logistic', t, 1);

/**
 * L_phi*, exactly: for answers x and y let a = P(x right, y wrong) and b = P(y right, x wrong) among pairs; then
 * `a phi(t) + b phi(-t)` is least at t = log(a / b) = logit eta(x) - logit eta(y), which one f = logit eta reaches for
 * all pairs at once, and is `(a + b) H(a / (a + b))` with H the entropy in nats. Two draws of the same answer cost
 * phi(0) = ln 2 whatever f is.
 */
export function leastLogisticRisk(distribution: LabelledDistribution): number {
  const { right, wrong } = classConditionals(distribution);
  const part = (p: number, whole: number) => (p > 0 ? -p * Math.log(p / whole) : 0);
  let risk = 0;
  for (let i = 0; i < right.length; i++) {
    risk += right[i] * wrong[i] * Math.LN2;
    for (let j = 0; j < i; j++) {
      const [a, b] = [right[i] * wrong[j], right[j] * wrong[i]];
      risk += part(a, a + b) + part(b, a + b);
    }
  }
  return risk;
}

/** Both regrets of a scorer. */
export function regretsOf(distribution: LabelledDistribution, scores: ArrayLike<number>): Regrets {
  return {
    auc: pairRisk(distribution, scores, misranked) - pairRisk(distribution, distribution.eta, misranked),
    logistic: pairRisk(distribution, scores, logistic) - leastLogisticRisk(distribution),
  };
}

/** The paper's bound on the regret of AUC: (1 / ln 2) times the regret of the surrogate. */
export const linearBound = (regret: number) => regret / Math.LN2;

/**
 * A bound that holds for any labels. Where a pair is in the wrong order or tied, its excess is at least
 * `w (ln 2 - H((1 + d) / 2)) >= w d^2 / 2` (Pinsker) with w = a + b and d = |a - b| / w, and its AUC regret is at most
 * `w d`; with Jensen over the pairs, whose w sum to at most 1, the regret is at most `sqrt(2 excess)`.
 */
export const squareRootBound = (regret: number) => Math.sqrt(2 * Math.max(0, regret));

/** Random scores: of any size, nearly tied, or the best ones with noise, where the bounds are pressed. */
function randomScores({ eta }: LabelledDistribution, random: RandomStream): Float64Array {
  const kind = random.integer(3);
  const size = kind === 1 ? 1e-3 : 10 ** (2 * random.uniform() - 1);
  const noise = eta.map(() => size * random.normal());
  if (kind < 2) return noise;
  return noise.map((value, i) => value + Math.log((eta[i] + 1e-6) / (1 - eta[i] + 1e-6)));
}

/** How a bound did on random distributions. */
interface BoundCheck {
  violations: number;
  /** The least of bound - regret. */
  worstSlack: number;
  /** The largest of regret / bound. */
  worstRatio: number;
}

function check(regrets: readonly Regrets[], bound: (regret: number) => number): BoundCheck {
  const result = { violations: 0, worstSlack: Number.POSITIVE_INFINITY, worstRatio: 0 };
  for (const regret of regrets) {
    const slack = bound(regret.logistic) - regret.auc;
    // Sums of up to a hundred products round to about 1e-15.
    if (slack < -1e-12) result.violations++;
    result.worstSlack = Math.min(result.worstSlack, slack);
    if (regret.auc > 1e-12) result.worstRatio = Math.max(result.worstRatio, regret.auc / bound(regret.logistic));
  }
  return result;
}

/** Both regrets of random scorers on random distributions of 2 to 9 answers. */
export function randomRegrets(
  labels: Parameters<typeof randomDistribution>[1],
  distributions: number,
  seed: number,
): Regrets[] {
  return Array.from({ length: distributions }, (_, k) => {
    const random = stream(seed, 'regret-bound', labels, k);
    const distribution = randomDistribution(2 + random.integer(8), labels, random);
    return regretsOf(distribution, randomScores(distribution, random));
  });
}

/** Two answers with P(right | x) = 1/2 + e and 1/2 - e, scored in the wrong order by next to nothing. */
export function nearHalfRegrets(e: number): Regrets {
  const distribution = { weight: Float64Array.of(0.5, 0.5), eta: Float64Array.of(0.5 + e, 0.5 - e) };
  return regretsOf(distribution, [-1e-9, 0]);
}

const LABELS = ['deterministic', 'stochastic', 'near-half'] as const;

/** Claim 4: the regret bound, for deterministic labels and for stochastic ones. */
export function regretBounds(distributions: number, seed: number): TheoryPart {
  const checks = LABELS.map((labels) => {
    const regrets = randomRegrets(labels, distributions, seed);
    return { labels, linear: check(regrets, linearBound), root: check(regrets, squareRootBound) };
  });
  const [deterministic, stochastic, nearHalf] = checks;
  const halves = [0.1, 0.01, 0.001].map((e) => {
    const regrets = nearHalfRegrets(e);
    return { e, ...regrets, ratio: regrets.auc / linearBound(regrets.logistic) };
  });
  const violations = stochastic.linear.violations + nearHalf.linear.violations;
  const rootViolations = checks.reduce((sum, { root }) => sum + root.violations, 0);
  return {
    claims: [
      {
        id: '4a',
        statement: 'Labels that are a function of the answer (L* = 0): L(f) - L* <= (1/ln 2)(L_phi(f) - L_phi*)',
        measured: `${deterministic.linear.violations} violations in ${distributions}; worst slack ${deterministic.linear.worstSlack.toExponential(1)}, largest share of the bound ${deterministic.linear.worstRatio.toFixed(3)}`,
        holds: deterministic.linear.violations === 0,
      },
      {
        id: '4b',
        statement: 'Stochastic labels: that bound is false in general, and by any factor',
        measured: `${violations} violations in ${2 * distributions}; P(right) = 1/2 +- 0.001: ${halves[2].ratio.toFixed(0)} times the bound`,
        holds: violations > 0 && halves[2].ratio > 10 * halves[0].ratio,
      },
      {
        id: '4c',
        statement: 'Any labels: L(f) - L* <= sqrt(2 (L_phi(f) - L_phi*))',
        measured: `${rootViolations} violations in ${3 * distributions}; worst slack ${Math.min(...checks.map(({ root }) => root.worstSlack)).toExponential(1)}`,
        holds: rootViolations === 0,
      },
    ],
    tables: [
      {
        title: 'Regret bounds on random discrete distributions',
        header: ['labels', 'bound', 'n', 'violations', 'worst slack', 'largest regret / bound'],
        rows: checks.flatMap(({ labels, linear, root }) =>
          (
            [
              ['1/ln 2', linear],
              ['square root', root],
            ] as const
          ).map(([bound, { violations: count, worstSlack, worstRatio }]) => [
            labels,
            bound,
            String(distributions),
            String(count),
            worstSlack.toExponential(1),
            worstRatio.toFixed(3),
          ]),
        ),
        notes: ['2 to 9 answers each; near-half: P(right | x) within 0.05 of 1/2. Slack is bound minus regret.'],
      },
      {
        title: 'Why no linear bound holds: two answers with P(right) = 1/2 +- e, misranked by 1e-9',
        header: ['e', 'AUC regret', 'logistic regret', 'regret / (1/ln 2 bound)'],
        rows: halves.map(({ e, auc, logistic: excess, ratio }) => [
          String(e),
          auc.toExponential(2),
          excess.toExponential(2),
          ratio.toFixed(1),
        ]),
        notes: ['The AUC regret falls as e, the logistic one as e squared.'],
      },
    ],
  };
}
