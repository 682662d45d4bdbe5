import { restoreLostBackslashes } from '../extraction/lost-backslash.js';
import type { Problem } from '../problem.js';

/** Something that is odd about one problem. */
export interface Finding {
  id: string;
  /** `error` refuses the set; `mended` was put right; `note` is left as it is. */
  severity: 'error' | 'mended' | 'note';
  message: string;
}

export interface CheckedProblems {
  problems: Problem[];
  findings: Finding[];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: looking for control characters is the purpose.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * Checks every problem: missing text or reference, ids that occur twice, problems that occur twice, control characters
 * that a lost backslash left (put right where it is clear what they were), unbalanced braces in a reference, and an odd
 * number of dollar signs, of which a last one that nothing opens is taken off.
 */
export function checkProblems(problems: readonly Problem[]): CheckedProblems {
  const findings: Finding[] = [];
  const ids = new Set<string>();
  const texts = new Map<string, string>();
  const checked = problems.map((problem) => {
    const { id } = problem;
    const report = (severity: Finding['severity'], message: string) => findings.push({ id, severity, message });
    if (problem.prompt.trim() === '') report('error', 'the problem has no text');
    if (problem.gold.trim() === '') report('error', 'the reference answer is missing');
    if (ids.has(id)) report('error', 'the id occurs twice');
    ids.add(id);
    const prompt = mended(problem.prompt, restoreInProse, 'the problem', report);
    const gold = mended(problem.gold, restoreLostBackslashes, 'the reference', report);
    if (gold.includes('\t')) report('note', 'the reference holds a tab');
    const first = texts.get(prompt);
    if (first !== undefined && prompt.trim() !== '') report('note', `the same problem as ${first}`);
    else texts.set(prompt, id);
    if (!balanced(gold))
      report('note', `the braces of the reference do not match: ${JSON.stringify(gold.slice(0, 60))}`);
    return { ...problem, prompt, gold };
  });
  return { problems: checked, findings };
}

/** Tabs that begin a line indent it, even before `an` or `text`. */
function restoreInProse(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const [indent] = /^\t*/.exec(line) as RegExpExecArray;
      return indent + restoreLostBackslashes(line.slice(indent.length));
    })
    .join('\n');
}

function mended(
  text: string,
  restore: (text: string) => string,
  what: string,
  report: (severity: Finding['severity'], message: string) => void,
): string {
  let result = restore(text);
  if (result !== text) report('mended', `${what} had control characters where backslashes were lost`);
  if (CONTROL.test(result)) report('note', `${what} holds control characters`);
  if ((result.match(/(?<!\\)\$/g) ?? []).length % 2 === 1 && result.endsWith('$')) {
    result = result.slice(0, -1);
    report('mended', `${what} ended with a dollar sign that nothing opens`);
  }
  return result;
}

function balanced(text: string): boolean {
  let depth = 0;
  for (const brace of text.replace(/\\[{}]/g, '')) {
    if (brace === '{') depth++;
    else if (brace === '}' && --depth < 0) return false;
  }
  return depth === 0;
}
