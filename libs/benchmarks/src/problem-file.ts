import { basename } from 'node:path';
import { InputError, readJsonl } from '@capo/samples';
import type { Problem } from './problem.js';

/**
 * The problems of a JSONL file, one `{ id, problem, answer }` a line. The benchmark is named after the file, and an id
 * that repeats the name (`aime24/60`) is shortened by it.
 *
 * @throws InputError with file:line for a record that is no problem or an id that occurs twice
 */
export async function readProblems(path: string): Promise<Problem[]> {
  const benchmark = basename(path).replace(/\.jsonl$/, '');
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for await (const { value, where } of readJsonl(path)) {
    const { id: given, problem, answer } = (value ?? {}) as Record<string, unknown>;
    if (!isName(given) || typeof problem !== 'string' || problem === '' || !isName(answer)) {
      throw new InputError(
        `${where}: not a problem.`,
        'Each line must be an object with "id", "problem" and "answer", which are texts or numbers.',
      );
    }
    const id = shorten(String(given), `${benchmark}/`);
    if (seen.has(id)) throw new InputError(`${where}: the id "${id}" occurs twice.`);
    seen.add(id);
    problems.push({ id, benchmark, prompt: problem, gold: String(answer) });
  }
  if (problems.length === 0) throw new InputError(`${path}: it holds no problems.`);
  return problems;
}

function isName(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

function shorten(id: string, prefix: string): string {
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}
