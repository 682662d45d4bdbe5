/** Perplexities of the reference model beyond which a sample counts as noise. */
export interface NoiseMaskThresholds {
  /** A wrong response below it is dropped: nearly right, unfairly punished. The paper's models: 1.05. */
  low: number;
  /** A right response above it is dropped: a lucky guess. The paper's models: 2.5. */
  high: number;
}

/**
 * CAPO's noise mask m(o) of each response (Wang et al., ACL 2026): 0 for a right response whose perplexity under the
 * reference model is above `high` and for a wrong one whose perplexity is below `low`, else 1. Values equal to a
 * threshold are kept. A response without tokens has no perplexity (NaN) and is kept: its advantage is 0 anyway.
 */
export function noiseMask(
  rewards: ArrayLike<number>,
  referencePerplexity: ArrayLike<number>,
  { low, high }: NoiseMaskThresholds,
): Uint8Array {
  if (rewards.length !== referencePerplexity.length) {
    throw new RangeError(`${rewards.length} rewards but ${referencePerplexity.length} perplexities`);
  }
  return Uint8Array.from(rewards, (reward, i) => {
    const perplexity = referencePerplexity[i];
    const luckyGuess = reward > 0 && perplexity > high;
    const nearlyRight = reward <= 0 && perplexity < low;
    return luckyGuess || nearlyRight ? 0 : 1;
  });
}
