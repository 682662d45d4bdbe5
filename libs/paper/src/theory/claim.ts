import type { Table } from '../table/table.js';

/** One claim of the theory, checked. */
export interface Claim {
  id: string;
  /** What is claimed, in one sentence. */
  statement: string;
  /** What was measured, in words and numbers. */
  measured: string;
  /** Whether the measurement bears the statement out; null for one that is a measurement only. */
  holds: boolean | null;
}

/** What one part of the theory comes to. */
export interface TheoryPart {
  claims: Claim[];
  tables: Table[];
}

/** The claims as a table. */
export function claimsTable(claims: readonly Claim[], notes: readonly string[]): Table {
  return {
    title: 'The theory as executable claims',
    header: ['claim', 'statement', 'measured', 'verdict'],
    rows: claims.map(({ id, statement, measured, holds }) => [
      id,
      statement,
      measured,
      holds === null ? 'measured' : holds ? 'holds' : 'FAILS',
    ]),
    notes,
  };
}

/** A small or large number for a table: `1.2e-8`. */
export function scientific(value: number): string {
  return value === 0 ? '0' : value.toExponential(1);
}
