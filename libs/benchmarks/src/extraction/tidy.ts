import { findFormulas } from './formulas.js';

/** Delimiters and emphasis within one another; more is no writing but an attack on the time this takes. */
const MAX_LAYERS = 8;

/** An answer without what surrounds it in a sentence: outer math delimiters, emphasis, the full stop. */
export function tidyAnswer(answer: string): string {
  let text = answer.trim();
  let before = '';
  for (let layer = 0; layer < MAX_LAYERS && before !== text; layer++) {
    before = text;
    text = text
      .replace(/^(?:\*{1,2}|_{1,2}(?=[^_]*_)|:|：)\s*/, '')
      .replace(/\s*\*{1,2}$/, '')
      .replace(/(?<!\\)(?:\\[,;:! ]|[\s,;:。；，])+$/, '')
      .replace(/(?<!\.)\.$/, '')
      .trim();
    const formulas = findFormulas(text);
    if (formulas.length === 1 && formulas[0].start === 0 && formulas[0].end === text.length) text = formulas[0].content;
  }
  return text;
}

const WORD = /[a-zA-Z\u00c0-\u024f]{2,}/g;
const NOT_WORDS =
  /\\(?:text|mbox|textbf|textit|textrm|textnormal|mathrm|operatorname|begin|end)\s*\{[^{}]*\}|\\[a-zA-Z]+|\b(?:and|or|sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|pi|inf|infinity|oo|arc(?:sin|cos|tan))\b/g;

/**
 * Whether a text is an answer and nothing else: an expression with at most one word (a unit), or a few words without
 * numbers ("no solution"). It may not run over several lines of prose.
 */
export function isBareAnswer(text: string): boolean {
  const content = text.trim();
  if (content === '' || content.length > 1000 || /\n\s*\n/.test(content)) return false;
  // Words of a script without spaces, or a sentence within \text{..}: prose around an answer.
  if (/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}/.test(content) && /[\dA-J]/.test(content)) return false;
  if (/\\(?:text|mbox)\s*\{(?:[^{}\s]+\s+){2,}[^{}]*\}(?=[^{}]*[\d\w])/.test(content) && /\d/.test(content))
    return false;
  const plain = content.replace(NOT_WORDS, ' ');
  const words = plain.match(WORD) ?? [];
  if (/[.!?。]\s+\S/.test(plain) && words.length > 0) return false;
  // One word before a formula opens a sentence: "Therefore, $3!$".
  if (/^[a-zA-Z]{2,}[,:]?\s+(?:\$|\\[([])/.test(content)) return false;
  if (words.length <= 1) return /[\p{L}\p{N}\\]/u.test(content);
  return words.length <= 5 && !/[\d=\\$]/.test(content) && words.join('').length > content.length / 2;
}
