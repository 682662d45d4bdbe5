import { withoutWords } from './words.js';

const THOUSANDS = /(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g;
const SPACED_THOUSANDS = /(?<![\d.,]|\d )\d{1,3}(?: \d{3})+(?! ?\d)/g;

/**
 * The ways in which an answer in the plain notation can be meant, the likeliest first. `1,234` is a number and, less
 * likely, a list; `0,5` a list and, less likely, a decimal with a comma. An answer is right when one of its readings
 * is, since the reference leaves no doubt which was meant.
 */
export function readings(notation: string): string[] {
  const { text } = withoutWords(withoutParameter(unwrapped(notation)));
  const found = new Set<string>();
  const outer = joinOutside(text);
  found.add(outer);
  found.add(text);
  // Within brackets a comma separates first, and belongs to a number second.
  found.add(text.replace(THOUSANDS, join).replace(SPACED_THOUSANDS, join));
  if (/^[-+]?\s*\d+,\d+\s*%?$/.test(text)) found.add(text.replace(',', '.'));
  // A single letter after a value and a space is its unit more often than a factor, but never first.
  const unit = /^(.*[\d})])\s+(?:[mgshLlJNWVAKCF]|Pa|Hz)(?:\s*\^\s*\{?[23]\}?)?$/.exec(text);
  if (unit) found.add(unit[1]);
  return [...found].filter((reading) => reading !== '');
}

/** An answer that is all in one `\\text{..}`, without it: `\\text{(A), (B)}`. */
function unwrapped(notation: string): string {
  const match = /^\\(?:text|mbox|textbf|textrm)\s*\{([^{}]*)\}$/.exec(notation);
  return match && /[^a-zA-Z\s]/.test(match[1]) ? match[1] : notation;
}

/** "k \\pi, k \\in \\mathbb{Z}" without the clause and with the parameter's name the same whatever it was. */
function withoutParameter(notation: string): string {
  const clause =
    /\s*[,;]?\s*\(?(?:\\text\s*\{[^{}]*(?:where|for|with|and)[^{}]*\})?\s*\b([a-zA-Z])\s*\\in\s*\\mathbb\s*\{?\s*([ZNQRC])\s*\}?(?:\s*[\^_]\s*(?:\{[^{}]*\}|[+*]))?\s*\)?$/.exec(
      notation,
    );
  if (!clause || clause.index === 0) return notation;
  const value = notation.slice(0, clause.index);
  if (!/[ZN]/.test(clause[2])) return value;
  return value.replace(new RegExp(`(?<![a-zA-Z\\\\])${clause[1]}(?![a-zA-Z])`, 'g'), 'k');
}

function join(number: string): string {
  return number.replace(/[, ]/g, '');
}

/** Thousands separators outside brackets taken out. */
function joinOutside(text: string): string {
  if (!/\d[, ]\d{3}/.test(text)) return text;
  let depth = 0;
  const inside = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    if ('([{'.includes(text[i])) depth++;
    inside[i] = depth > 0 ? 1 : 0;
    if (')]}'.includes(text[i])) depth--;
  }
  const replace = (number: string, at: number) => (inside[at] ? number : join(number));
  return text
    .replace(THOUSANDS, (number, at: number) => replace(number, at))
    .replace(SPACED_THOUSANDS, (number, at: number) => (inside[at] ? number : join(number)));
}
