import { existsSync, readFileSync } from 'node:fs';
import { JsonlWriter, repairTail, writeFileAtomic } from '@capo/samples';

/**
 * Opens a log with one JSON object per step (or several, each with its `step`), as it stood when `step` steps were
 * done: lines of later steps, which a killed run wrote after its last checkpoint, are removed, because the resumed run
 * writes them again.
 */
export function openStepLog(path: string, step: number): JsonlWriter {
  if (existsSync(path)) {
    repairTail(path);
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    const kept = lines.filter((line) => (JSON.parse(line) as { step: number }).step < step);
    if (kept.length < lines.length) writeFileAtomic(path, kept.map((line) => `${line}\n`).join(''));
  }
  return new JsonlWriter(path);
}

/** The objects of a step log; none when there is no such file. */
export function readStepLog<T>(path: string): T[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

/** A number for a log: null where it is undefined, since JSON has no NaN. */
export function loggable(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
