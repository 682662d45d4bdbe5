/** One drawn token with its log-probability, and the entropy of the distribution that it came from, in nats. */
export interface DrawnToken {
  token: number;
  /** Under the distribution that was sampled from ("processed"). */
  logprob: number;
  entropy: number;
}

/**
 * Draws one token from `softmax(logits / temperature)` by inverting the distribution function at `uniform`.
 * Temperature 0 takes the most probable token (the lowest id among equals) and reports its log-probability at
 * temperature 1. All sums are in float64, so the log-probability is exact to the precision of the logits.
 *
 * @param logits one row of numbers per sequence
 * @param offset where the row starts
 * @param scratch at least `vocab` numbers
 */
export function drawToken(
  logits: ArrayLike<number>,
  offset: number,
  vocab: number,
  temperature: number,
  uniform: number,
  scratch: Float64Array,
): DrawnToken {
  const inverse = temperature === 0 ? 1 : 1 / temperature;
  let best = 0;
  for (let i = 1; i < vocab; i++) if (logits[offset + i] > logits[offset + best]) best = i;
  const largest = logits[offset + best] * inverse;
  let sum = 0;
  let weighted = 0;
  for (let i = 0; i < vocab; i++) {
    const z = logits[offset + i] * inverse - largest;
    const e = Math.exp(z);
    scratch[i] = e;
    sum += e;
    weighted += e * z;
  }
  const logSum = Math.log(sum);
  let token = best;
  if (temperature > 0) {
    const wanted = uniform * sum;
    let reached = 0;
    for (let i = 0; i < vocab; i++) {
      reached += scratch[i];
      if (wanted < reached) {
        token = i;
        break;
      }
    }
  }
  const z = logits[offset + token] * inverse - largest;
  // Equal to 0 and not to -0 when one token holds all the probability.
  return { token, logprob: z - logSum || 0, entropy: Math.max(0, logSum - weighted / sum) };
}
