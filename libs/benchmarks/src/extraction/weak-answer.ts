import { findFormulas } from './formulas.js';
import { mathRuns } from './math-runs.js';

/** An answer that nothing marks as one. */
export interface WeakAnswer {
  answer: string;
  rule: 'last-math' | 'last-number' | 'choice';
}

/** How much of a text's end is searched for an unmarked answer, in characters. */
const MAX_TAIL = 20_000;

/** An option letter on its own; "A" and "I" that begin a phrase are words. */
const LETTER = /(?<![\w'’(\\-])(?:\(([A-J])\)|([B-HJ]|A(?!\s+[a-z])))(?![\w'’-])/g;
const LEADING_LETTER = /^\s*\(?([A-J])(?:\)|[.:。：、,，]|(?=[^\x20-\x7e\w])|$)/;

/**
 * The last formula, number or option letter of a text without a marked answer. A formula that holds an expression
 * counts as a whole; in prose and in formulas with words the last stretch of mathematics does.
 */
export function lastWeakAnswer(text: string): WeakAnswer | undefined {
  const leading = LEADING_LETTER.exec(text);
  if (leading) return { answer: leading[1], rule: 'choice' };
  const tail = text.slice(-MAX_TAIL);
  const formulas = findFormulas(tail).filter(({ content }) => isExpression(content));
  const formula = formulas.at(-1);
  const prose = blankOut(tail, formulas);
  const run = mathRuns(prose).at(-1);
  if (formula && (!run || run.start < formula.start)) return { answer: formula.content, rule: 'last-math' };
  if (run) return { answer: run.text, rule: run.isNumber ? 'last-number' : 'last-math' };
  const letter = [...prose.matchAll(LETTER)].at(-1);
  return letter ? { answer: letter[1] ?? letter[2], rule: 'choice' } : undefined;
}

/** The answer at the head of a sentence that follows "the answer is", or else the last one in it. */
export function sentenceAnswer(sentence: string): string | undefined {
  const formulas = findFormulas(sentence).filter(({ content }) => isExpression(content));
  if (formulas.length > 0 && sentence.slice(0, formulas[0].start).trim() === '') {
    let last = 0;
    while (last + 1 < formulas.length && joins(sentence.slice(formulas[last].end, formulas[last + 1].start))) last++;
    return formulas
      .slice(0, last + 1)
      .map(({ content }) => content)
      .join(', ');
  }
  const runs = mathRuns(blankOut(sentence, formulas));
  if (runs.length > 0 && /^\s*(?:about|approximately|exactly|roughly)?\s*$/i.test(sentence.slice(0, runs[0].start))) {
    return runs[0].text;
  }
  const letter = LETTER.exec(sentence);
  LETTER.lastIndex = 0;
  const formula = formulas.at(-1);
  const run = runs.at(-1);
  if (formula && (!run || run.start < formula.start)) return formula.content;
  if (run) return run.text;
  return letter ? (letter[1] ?? letter[2]) : undefined;
}

function joins(gap: string): boolean {
  return /^\s*(?:,|;|,?\s*(?:and|or))\s*$/i.test(gap);
}

/** Whether a formula says more than the name of something: `$n$` in "the largest $n$ is 34" is no answer. */
function isExpression(content: string): boolean {
  return /[\d=<>]|\\[a-zA-Z]{2,}|[-+*/^]|[a-zA-Z]{2}|^[A-J]$/.test(content);
}

function blankOut(text: string, spans: readonly { start: number; end: number }[]): string {
  let out = '';
  let from = 0;
  for (const { start, end } of spans) {
    // A hash is no mathematics, so that what stands on both sides of a formula is not read as one expression.
    out += text.slice(from, start) + '#'.repeat(end - start);
    from = end;
  }
  return out + text.slice(from);
}
