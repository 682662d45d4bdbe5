/** Whether a server's log-probabilities are taken before or after the temperature, and what that was seen from. */
export interface TemperatureFinding {
  kind: 'raw' | 'processed' | 'unknown';
  evidence: string;
}

/** Two values that differ by less are equal: servers compute in half precision and batches change the last digits. */
const NOISE = 0.05;

/**
 * Judges two readings of the same token's distribution, at temperature 1 and at another. After the temperature the
 * difference of two tokens' log-probabilities is divided by it; before, it is unchanged. With one token in common only,
 * an unchanged value is raw and a changed one is processed.
 *
 * @param atOne log-probabilities by token at temperature 1
 * @param atOther the same at temperature `other`, which is not 1; at 0 a processed distribution has one certain token
 */
export function judgeTemperature(
  atOne: ReadonlyMap<string, number>,
  atOther: ReadonlyMap<string, number>,
  other: number,
): TemperatureFinding {
  const common = [...atOne.keys()].filter((token) => atOther.has(token));
  const pair = widestPair(common, atOne);
  if (pair && other > 0) {
    const one = atOne.get(pair[0])! - atOne.get(pair[1])!;
    const seen = atOther.get(pair[0])! - atOther.get(pair[1])!;
    const evidence = `two tokens differ by ${one.toFixed(2)} at temperature 1 and by ${seen.toFixed(2)} at ${other}`;
    const expected = one / other;
    if (Math.abs(expected - one) > 2 * NOISE) {
      const isRaw = Math.abs(seen - one) < Math.abs(seen - expected);
      const distance = Math.abs(seen - (isRaw ? one : expected));
      const fits = distance <= Math.max(NOISE, 0.2 * Math.abs(expected - one));
      if (!fits) return { kind: 'unknown', evidence };
      return { kind: isRaw ? 'raw' : 'processed', evidence };
    }
  }
  for (const token of common) {
    const [one, seen] = [atOne.get(token)!, atOther.get(token)!];
    // A token that is certain at temperature 1 is certain at every other.
    if (one > -2 * NOISE) continue;
    const evidence = `a token has ${one.toFixed(2)} at temperature 1 and ${seen.toFixed(2)} at ${other}`;
    return { kind: Math.abs(one - seen) <= NOISE ? 'raw' : 'processed', evidence };
  }
  return { kind: 'unknown', evidence: common.length === 0 ? 'no token was seen at both' : 'every token was certain' };
}

/** The most and the least probable of the tokens, if they differ by more than noise. */
function widestPair(tokens: readonly string[], logprobs: ReadonlyMap<string, number>): [string, string] | undefined {
  const sorted = [...tokens].sort((a, b) => logprobs.get(b)! - logprobs.get(a)!);
  const [most, least] = [sorted[0], sorted.at(-1)];
  if (most === undefined || least === undefined) return undefined;
  return logprobs.get(most)! - logprobs.get(least)! > 4 * NOISE ? [most, least] : undefined;
}
