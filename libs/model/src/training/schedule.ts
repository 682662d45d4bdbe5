/**
 * The factor of the learning rate at a step: linear warm-up, then half a cosine down to `final`.
 *
 * @param step counted from 0
 * @param steps of the whole run
 * @param warmup steps until the factor is 1
 * @param final the factor at the end
 */
export function cosineWithWarmup(step: number, steps: number, warmup: number, final = 0): number {
  if (step < warmup) return (step + 1) / warmup;
  const progress = Math.min(1, (step - warmup) / Math.max(1, steps - warmup));
  return final + (1 - final) * 0.5 * (1 + Math.cos(Math.PI * progress));
}
