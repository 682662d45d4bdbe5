import { quantile } from '@capo/calibration-metrics';

/**
 * SimKO's forking tokens of one response (arXiv 2510.14807): those whose entropy is above the given quantile (type 7) of
 * the entropies of that response, where the policy is in two minds. A response of equal entropies has none.
 *
 * @param entropies per token of the response
 * @param probability of the quantile; the source: 0.8
 * @returns 1 per forking token, else 0
 */
export function forkingTokens(entropies: ArrayLike<number>, probability: number): Uint8Array {
  if (entropies.length === 0) return new Uint8Array(0);
  const threshold = quantile(Float64Array.from(entropies).sort(), probability);
  return Uint8Array.from(entropies, (entropy) => (entropy > threshold ? 1 : 0));
}

/**
 * The most probable tokens of each row, the most probable first; of equal logits the smaller id first.
 *
 * @param logits [rows, vocab], row after row
 * @param count how many per row; at most the vocabulary
 * @returns [rows, count], row after row
 */
export function topTokens(logits: ArrayLike<number>, rows: number, vocab: number, count: number): Int32Array {
  if (!(count >= 1 && count <= vocab)) throw new RangeError(`${count} top tokens of a vocabulary of ${vocab}`);
  const top = new Int32Array(rows * count);
  const best = new Float64Array(count);
  for (let row = 0; row < rows; row++) {
    best.fill(Number.NEGATIVE_INFINITY);
    for (let token = 0; token < vocab; token++) {
      const logit = logits[row * vocab + token];
      if (logit <= best[count - 1] && token >= count) continue;
      // Insert in order; the first `count` tokens always find a place.
      let place = Math.min(token, count - 1);
      while (place > 0 && logit > best[place - 1]) {
        best[place] = best[place - 1];
        top[row * count + place] = top[row * count + place - 1];
        place--;
      }
      best[place] = logit;
      top[row * count + place] = token;
    }
  }
  return top;
}
