/** A table as data: headers, rows of text, and what stands around them. */
export interface Table {
  title: string;
  header: readonly string[];
  /** The first cell of a row is its label; every row has as many cells as the header. */
  rows: readonly (readonly string[])[];
  /** Below the table: scale, seeds, n, what intervals mean, why cells are missing. */
  notes: readonly string[];
}

/** A cell's value with its interval, or why it has none. */
export interface Cell {
  value: number | null;
  low: number | null;
  high: number | null;
}

/** `0.713 [0.690, 0.735]`, `0.713` without an interval, `n/a` without a value. `signed` writes the plus of a difference. */
export function formatCell({ value, low, high }: Cell, { digits = 3, signed = false } = {}): string {
  const format = (x: number) => `${signed && x >= 0 ? '+' : ''}${x.toFixed(digits)}`;
  if (value === null) return 'n/a';
  return low === null || high === null ? format(value) : `${format(value)} [${format(low)}, ${format(high)}]`;
}
