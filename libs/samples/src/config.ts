import { z } from 'zod';
import { InputError } from './errors.js';

/** The number of single-letter edits between two words (Levenshtein). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(previous[j] + 1, row[j - 1] + 1, substitution);
    }
    previous = row;
  }
  return previous[b.length];
}

/** The known name that is most like the given one, or undefined when none is near. Letter case and - _ are ignored. */
export function suggest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[-_ ]/g, '');
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(plain(name), plain(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return bestDistance <= Math.max(2, Math.floor(name.length / 3)) ? best : undefined;
}

/** ' Did you mean "x"?', or a list of the known names when none is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const candidate = suggest(name, known);
  return candidate ? `Did you mean "${candidate}"?` : `Known: ${known.join(', ')}.`;
}

/** The names that an object schema knows at that path. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let current: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  for (const part of path) {
    current = (current as { properties?: Record<PropertyKey, unknown> })?.properties?.[part];
  }
  return Object.keys((current as { properties?: object })?.properties ?? {});
}

/**
 * Checks a configuration against its schema and fills in the defaults.
 *
 * @param where the file or option that the values come from, for the message
 * @throws InputError that names every wrong key, with a suggestion for unknown ones
 */
export function parseConfig<T extends z.ZodType>(schema: T, value: unknown, where: string): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const path = issue.path.join('.');
    if (issue.code === 'unrecognized_keys') {
      const known = knownKeys(schema, issue.path);
      return issue.keys
        .map((key) => `unknown key "${[...issue.path, key].join('.')}". ${didYouMean(key, known)}`)
        .join('; ');
    }
    return path ? `${path}: ${issue.message}` : issue.message;
  });
  throw new InputError(`${where}: ${problems.join('; ')}`, 'Correct the configuration and run the command again.');
}
