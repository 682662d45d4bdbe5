/** A formula between math delimiters. */
export interface Formula {
  start: number;
  /** The index after the closing delimiter. */
  end: number;
  content: string;
}

const DELIMITERS: readonly [open: string, close: string][] = [
  ['$$', '$$'],
  ['\\[', '\\]'],
  ['\\(', '\\)'],
  ['$', '$'],
];

/**
 * The formulas of a text, in order: `$..$`, `$$..$$`, `\(..\)` and `\[..\]`. A dollar sign before a number is money
 * unless a formula closes right after it on the same line, and `\$` never opens one.
 */
export function findFormulas(text: string): Formula[] {
  const formulas: Formula[] = [];
  const neverClosed = new Set<string>();
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c !== '$' && c !== '\\') continue;
    const pair = DELIMITERS.find(([open]) => text.startsWith(open, i));
    if (!pair) {
      i++;
      continue;
    }
    const [open, close] = pair;
    // A line break in the source of `\\[2pt]` is not a display formula.
    if (open === '\\[' && text[i - 1] === '\\') continue;
    const end = neverClosed.has(close) ? -1 : closing(text, close, i + open.length);
    if (end < 0) {
      if (close !== '$') neverClosed.add(close);
      i += open.length - 1;
      continue;
    }
    const content = text.slice(i + open.length, end);
    if (open === '$' && !looksLikeFormula(content)) continue;
    formulas.push({ start: i, end: end + close.length, content: content.trim() });
    i = end + close.length - 1;
  }
  return formulas;
}

function closing(text: string, close: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (text.startsWith(close, i)) return i;
    if (text[i] === '\\') i++;
    else if (close === '$' && text[i] === '\n' && text[i + 1] === '\n') return -1;
  }
  return -1;
}

/** Whether text between two single dollar signs is a formula: "$5 and gives $3" holds words, so those are money. */
function looksLikeFormula(content: string): boolean {
  if (content.trim() === '' || content.length > 4000) return false;
  const withoutCommands = content
    .replace(/\\(?:text|mbox|textbf|textit|textrm|mathrm|operatorname)\s*\{[^{}]*\}/g, '')
    .replace(/\\[a-zA-Z]+/g, ' ');
  const words = withoutCommands.match(/[a-zA-Z]{2,}/g) ?? [];
  return words.length <= 1 || !/[a-zA-Z]{2,}\s+[a-zA-Z]{2,}/.test(withoutCommands);
}
