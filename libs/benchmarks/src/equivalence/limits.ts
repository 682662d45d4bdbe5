/** Hard limits on answers, which are hostile input: what goes beyond one is refused, never worked on. */
export const LIMITS = {
  /** Characters of an answer. */
  length: 4000,
  /** Brackets, fractions and roots within one another. */
  depth: 60,
  /** Nodes of one expression. */
  nodes: 4000,
  /** Bits of an exact numerator or denominator: 12,000 decimal digits. */
  bits: 40_000,
  /** Terms of a sum or product that is written out. */
  terms: 2000,
  /** Elements of a list, set, tuple or matrix. */
  elements: 400,
  /** Answers that plus-minus signs stand for. */
  signs: 64,
  /** Operations of one numeric evaluation: sums within sums multiply. */
  steps: 200_000,
} as const;

/** An answer is beyond a limit: it is no answer. */
export class LimitError extends Error {
  constructor(limit: keyof typeof LIMITS) {
    super(`beyond the limit of ${LIMITS[limit]} (${limit})`);
  }
}
