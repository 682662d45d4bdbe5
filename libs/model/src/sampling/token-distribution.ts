import { type Truncation, truncate } from './truncation.js';

/** One drawn token with its log-probability, and the entropy of the distribution that it came from, in nats. */
export interface DrawnToken {
  token: number;
  /** Under the distribution that was sampled from ("processed"). */
  logprob: number;
  entropy: number;
  /** Under the model's own distribution ("raw"): temperature 1, nothing cut off. Only when it was asked for. */
  rawLogprob?: number;
  /** Self-certainty (Kang et al. 2025): the divergence of the uniform distribution from the model's own, in nats. */
  selfCertainty?: number;
}

/** How a token is drawn. */
export interface DrawTokenOptions {
  /** 0 takes the most probable token. */
  temperature: number;
  /** Null when nothing is cut off, which costs nothing. */
  truncation?: Truncation | null;
  /** Report the raw log-probability too, where it is another one. */
  raw?: boolean;
  /** Report the self-certainty too. */
  selfCertainty?: boolean;
}

/**
 * Draws one token from `softmax(logits / temperature)`, truncated, by inverting the distribution function at `uniform`.
 * Temperature 0 takes the most probable token (the lowest id among equals) and reports its log-probability at
 * temperature 1, truncation aside. All sums are in float64, so the log-probability is exact to the precision of the
 * logits.
 *
 * @param logits one row of numbers per sequence
 * @param offset where the row starts
 * @param scratch at least `vocab` numbers
 */
export function drawToken(
  logits: ArrayLike<number>,
  offset: number,
  vocab: number,
  { temperature, truncation = null, raw = false, selfCertainty = false }: DrawTokenOptions,
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
  const whole = sum;
  if (truncation && temperature > 0) {
    sum = truncate(scratch, vocab, truncation);
    weighted = 0;
    for (let i = 0; i < vocab; i++) if (scratch[i] > 0) weighted += scratch[i] * Math.log(scratch[i]);
  }
  const logSum = Math.log(sum);
  let token = best;
  if (temperature > 0) {
    const wanted = uniform * sum;
    let reached = 0;
    for (let i = 0; i < vocab; i++) {
      reached += scratch[i];
      if (wanted < reached && scratch[i] > 0) {
        token = i;
        break;
      }
    }
  }
  const z = logits[offset + token] * inverse - largest;
  // Equal to 0 and not to -0 when one token holds all the probability.
  const drawn: DrawnToken = { token, logprob: z - logSum || 0, entropy: Math.max(0, logSum - weighted / sum) };
  if (raw) {
    drawn.rawLogprob =
      inverse === 1 ? z - Math.log(whole) || 0 : rawLogprob(logits, offset, vocab, token, logits[offset + best]);
  }
  if (selfCertainty) drawn.selfCertainty = selfCertaintyOf(logits, offset, vocab, logits[offset + best]);
  return drawn;
}

/** The log-probability of a token at temperature 1. */
function rawLogprob(logits: ArrayLike<number>, offset: number, vocab: number, token: number, largest: number): number {
  let sum = 0;
  for (let i = 0; i < vocab; i++) sum += Math.exp(logits[offset + i] - largest);
  return logits[offset + token] - largest - Math.log(sum) || 0;
}

/** KL(uniform || p) = -ln V - mean of ln p_i, at temperature 1 with nothing cut off: 0 for the uniform distribution. */
function selfCertaintyOf(logits: ArrayLike<number>, offset: number, vocab: number, largest: number): number {
  let [sum, total] = [0, 0];
  for (let i = 0; i < vocab; i++) {
    const z = logits[offset + i] - largest;
    sum += Math.exp(z);
    total += z;
  }
  return Math.max(0, Math.log(sum) - total / vocab - Math.log(vocab));
}
