import { type Comparison, decide, equal } from './comparison.js';
import { textForm } from './notation.js';

const ARTICLE = /\b(?:the|a|an)\b/g;

/** The letter of an answer to a multiple-choice question, and whether there is more than the letter. */
function choice(notation: string): { letter: string; alone: boolean } | undefined {
  const text = notation
    .replace(MARKUP, '$1')
    .replace(/[{}*\s\u00a4]+/g, ' ')
    .trim();
  const alone = /^[([]?\s*([A-J])\s*[)\].:]?$/.exec(text);
  if (alone) return { letter: alone[1], alone: true };
  const labelled = /^(?:\(\s*([A-J])\s*\)\s*\S|([A-J])\s*[).:]\s*\S|([A-J])\s+[A-Z][a-z]+)/.exec(text);
  return labelled ? { letter: labelled[1] ?? labelled[2] ?? labelled[3], alone: false } : undefined;
}

/**
 * Compares answers as text: the same characters, the same option of a multiple-choice question, or the same words
 * whatever their case and articles. Undefined when they are no texts, so that mathematics must decide.
 */
export function compareTexts(gold: string, answer: string): Comparison | undefined {
  const [a, b] = [textForm(gold), textForm(answer)];
  if (gold === answer || (a === b && a !== '')) return equal('same text');
  const [x, y] = [choice(gold), choice(answer)];
  // "(A) Cecile" against "C" is no match by name: the letters decide.
  if (x && y && (x.alone || y.alone)) return decide(x.letter === y.letter, 'option letter');
  const [looseA, looseB] = [looseForm(gold), looseForm(answer)];
  if (looseA !== '' && looseA === looseB) return equal('same text');
  const [wordsA, wordsB] = [words(gold), words(answer)];
  if (wordsA !== undefined && wordsB !== undefined) return decide(wordsA === wordsB, 'words');
  return undefined;
}

/** Letters and digits of an answer with at least two words, in lower case: `2 \\text{ hours } 30 \\text{ minutes}`. */
function looseForm(notation: string): string {
  const text = notation.replace(MARKUP, ' $1 ');
  if (/\\|[-+*/=<>^_(){}[\]]/.test(text) || (text.match(/[a-zA-Z]{3,}/g) ?? []).length < 2) return '';
  return text.toLowerCase().replace(/[^\p{L}\p{N}.]|\.(?!\d)/gu, '');
}

const MARKUP = /\\(?:text|mbox|textbf|textit|textrm|textnormal)\s*\{([^{}]*)\}/g;

/** Different words for the same. */
const SYNONYMS: Readonly<Record<string, string>> = {
  dne: 'doesnotexist',
  doenotexist: 'doesnotexist',
  doesnotexist: 'doesnotexist',
};

/** A text that is nothing but words, in lower case and without plurals; undefined for mathematics. One or two letters are symbols. */
function words(notation: string): string | undefined {
  const marked = /\\(?:text|mbox|textbf|textit|textrm)/.test(notation);
  const text = notation
    .replace(MARKUP, '$1')
    .replace(/[{}$\u00a4]/g, '')
    .replace(/[.,;:!]+$/, '')
    .trim();
  if (!/^[\p{L}][\p{L}\s'.,-]*$/u.test(text)) return undefined;
  const letters = text.replace(/[^\p{L}]/gu, '');
  if (letters.length < 3 && !marked) return undefined;
  const plain = text
    .toLowerCase()
    .replace(ARTICLE, '')
    .replace(/(?<=\p{L}{3})s\b/gu, '')
    .replace(/[^\p{L}]/gu, '');
  return SYNONYMS[plain] ?? plain;
}
