import { CURRENCY } from './notation.js';

/** A formula and the words that stood around it. */
export interface WithoutWords {
  text: string;
  /** What followed a value as its unit: `cm^2`, `dollars`. */
  unit?: string;
}

const TEXT = /\\(?:text|mbox|textbf|textit|textrm|textnormal|texttt|textsf|emph|hbox)\s*\{([^{}]*)\}/g;
const JOINING = /^[\s,]*(?:and|or|und|et|y)[\s,]*$/i;
/** Words that are mathematics. */
const MATH_WORD =
  /^(?:sin|cos|tan|cot|sec|csc|cosec|sinh|cosh|tanh|arcsin|arccos|arctan|asin|acos|atan|log|ln|lg|exp|sqrt|cbrt|pi|inf|infinity|infty|oo|abs|max|min|gcd|lcm|mod|and|or|in|floor|ceil|theta|alpha|beta|gamma|lambda|phi|binom|frac|union|pm|choose)$/i;

/** Numbers as words, for answers such as `six`. */
const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/**
 * Takes the words out of an answer: units after a value, a label before an equals sign, an aside in brackets, "and" and
 * "or" between values. The words must not hold the answer: `\text{Even}` stays as it is.
 *
 * @example
 * withoutWords('864 \\mbox{ inches}^2') // { text: '864', unit: 'inches^2' }
 * withoutWords('2 \\text{ and } 3') // { text: '2 , 3' }
 */
export function withoutWords(notation: string): WithoutWords {
  let text = notation.replace(CURRENCY, ' ');
  const word = NUMBER_WORDS.indexOf(text.trim().toLowerCase());
  if (word >= 0) return { text: String(word) };
  text = text.replace(/\s*(?:\\text\s*\{\s*)?\b(?:pct|percent|per cent|percentage points?)\b\.?(?:\s*\})?/gi, '%');
  // A subscript in words is a part of the name.
  text = text.replace(/_\s*(?:\{\s*)?\\(?:text|mbox|textrm)\s*\{\s*([a-zA-Z]+)[^{}]*\}(?:\s*\})?/g, '_{$1}');
  // An aside: 1/(2 sin(pi/26)) \text{(approximately }4.148\text{)}
  text = text.replace(
    /(\S)\s*\\(?:text|mbox|textrm)\s*\{\s*[,;(]?\s*(?:approximately|approx\.?|about|i\.e\.|that is|which is|where|for|if|when|with)\b.*$/i,
    '$1',
  );
  text = text.replace(TEXT, (_whole, words: string) => (JOINING.test(words) ? ' , ' : ` "${words.trim()}" `));
  text = text
    .replace(/(?<=[\d\s})\]])\s*,?\s*\b(?:and|or)\b\s*(?=[-+\d\s\\({[a-zA-Z])/g, ' , ')
    .replace(/(,\s*){2,}/g, ', ');
  // Quoted words now stand for \text{..}: before a value or between a name and its value they are a label.
  text = text.replace(/^\s*"[^"]*"\s*(?=[-+\d\\({[a-zA-Z=|])/, ' ').replace(/"(?:is|are|equals)"/gi, '=');
  let unit: string | undefined;
  const quoted = /^([^"]*[^\s"])\s*"([^"]*)"\s*((?:\^\s*(?:\{[^{}]*\}|-?\d)|[/\s]+(?:"[^"]*"|[a-z]))*)\s*$/.exec(text);
  if (quoted) {
    text = quoted[1];
    unit = quoted[2].trim() + quoted[3].replace(/[{}"\s]/g, '');
  } else {
    const plain = plainUnit(text);
    if (plain) [text, unit] = plain;
  }
  text = text.replace(/"[^"]*"(?:\s*\^\s*(?:\{[^{}]*\}|\d))?/g, ' ');
  return unit ? { text: text.trim(), unit } : { text: text.trim() };
}

/** A value and the words after it without any markup: `156kgs`, `3 square feet per hour`. */
function plainUnit(text: string): [value: string, unit: string] | undefined {
  const match = /^(.*?[\d})\]%])\s*((?:[a-zA-Z]{2,}|[a-zA-Z]\/[a-zA-Z]+)(?:[\sa-zA-Z/.'-]|\^\s*\{?-?\d\}?)*)$/.exec(
    text,
  );
  if (!match) return undefined;
  const [, value, unit] = match;
  const words = unit.match(/[a-zA-Z]+/g) ?? [];
  if (/\\[a-zA-Z]*$/.test(value) || words.some((word) => word.length > 1 && MATH_WORD.test(word))) return undefined;
  // "6th" and "1st" are the numbers; two single letters such as "2xy" are a product.
  if (/^(?:st|nd|rd|th)$/.test(unit)) return [value, ''];
  if (
    words.length === 1 &&
    words[0].length === 2 &&
    !/^(?:cm|mm|km|kg|mg|ml|mL|ft|in|yd|mi|lb|oz|hr|hz|Hz|eV|mA|kW|kJ|pm|am|nm|ms|ns)$/.test(unit)
  )
    return undefined;
  return [value, unit.trim()];
}
