import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { integerGrader, type Problem, readProblems, wholeNumber } from '@capo/benchmarks';
import { InputError } from '@capo/samples';

/** Which problems are asked. */
export interface ProblemChoice {
  /** The name of a benchmark, or a file of problems. */
  benchmark: string;
  /** The folder of the benchmarks' files. */
  folder: string;
  limit: number | undefined;
  ids: string | undefined;
}

/** The problems of a benchmark: all, the first ones, or those of the given ids. */
export async function chooseProblems({ benchmark, folder, limit, ids }: ProblemChoice): Promise<Problem[]> {
  const path = benchmark.endsWith('.jsonl') ? benchmark : join(folder, `${benchmark}.jsonl`);
  if (!existsSync(path)) {
    throw new InputError(
      `There is no benchmark at ${path}.`,
      'Give a file of problems (JSONL with id, problem and answer), or the folder of the benchmarks with --benchmarks.',
    );
  }
  let problems = await readProblems(path);
  if (ids !== undefined) {
    const wanted = ids.split(',').map((id) => id.trim());
    const known = new Map(problems.map((problem) => [problem.id, problem]));
    const missing = wanted.filter((id) => !known.has(id));
    if (missing.length > 0) throw new InputError(`--ids: ${basename(path)} has no problem "${missing[0]}".`);
    problems = wanted.map((id) => known.get(id) as Problem);
  }
  return limit === undefined ? problems : problems.slice(0, limit);
}

/** The grader that suits the reference answers of the problems. */
export function graderFor(problems: readonly Problem[]) {
  const other = problems.find(({ gold }) => wholeNumber(gold) === null);
  if (!other) return integerGrader();
  throw new InputError(
    `The answer of ${other.benchmark}/${other.id} is ${JSON.stringify(other.gold)}, no whole number.`,
    'Choose problems whose answers are whole numbers.',
  );
}
