/**
 * A quantity that may be undefined for some inputs: AUC needs both classes, a mean needs items. It is then null with a
 * reason, never a silent 0 or NaN, so that an average over many such values can say what it left out.
 */
export interface Estimate {
  value: number | null;
  /** Why the value is null; null when there is a value. */
  reason: string | null;
}

/** An estimate with an interval around it. */
export interface IntervalEstimate extends Estimate {
  low: number | null;
  high: number | null;
}

/** A defined value. */
export function defined(value: number): Estimate {
  return { value, reason: null };
}

/** An undefined value and why. */
export function undefinedBecause(reason: string): Estimate {
  return { value: null, reason };
}
