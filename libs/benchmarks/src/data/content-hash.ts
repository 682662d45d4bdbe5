import { createHash } from 'node:crypto';
import type { Problem } from '../problem.js';

/**
 * The SHA-256 of a set's problems and reference answers, in their order, whatever the format, the field names and the
 * other fields of the file that they came in: of one line of JSON, `[problem, answer]`, for each. Line endings and white
 * space at the ends do not count.
 */
export function contentHash(problems: readonly Problem[]): string {
  const hash = createHash('sha256');
  for (const { prompt, gold } of problems) {
    hash.update(`${JSON.stringify([prompt.replace(/\r\n/g, '\n').trim(), gold.trim()])}\n`);
  }
  return hash.digest('hex');
}
