import { createHash } from 'node:crypto';
import { InputError } from './errors.js';

/** A value that strict JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Strict JSON on one line. NaN and infinities are errors that name the key, where `JSON.stringify` would silently
 * write null: a file must say "missing, because ..." and never lose a number in passing.
 */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value, (key, item) => {
    if (typeof item === 'number' && !Number.isFinite(item)) {
      throw new InputError(`The value of "${key}" is ${item}, which JSON cannot hold.`, 'Store null and a reason.');
    }
    return item;
  });
}

/** Strict JSON for people: two spaces of indent and a line break at the end. */
export function toJsonDocument(value: unknown): string {
  return `${JSON.stringify(JSON.parse(toJsonLine(value)), null, 2)}\n`;
}

/** The value with the keys of every object sorted and undefined members left out, so that equal values have equal text. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return Object.fromEntries(entries.map(([key, item]) => [key, canonical(item)]));
  }
  return value;
}

/**
 * The hash of a configuration: SHA-256 over its canonical JSON, shortened to 16 hexadecimal digits. Two
 * configurations with the same content have the same hash, whatever the order of their keys.
 */
export function configHash(config: unknown): string {
  return sha256(toJsonLine(canonical(config))).slice(0, 16);
}

/** SHA-256 as hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
