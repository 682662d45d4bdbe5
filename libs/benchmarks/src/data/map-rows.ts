import { extractGold } from '../extraction/extract-answer.js';
import { restoreLostBackslashes } from '../extraction/lost-backslash.js';
import type { Problem } from '../problem.js';
import type { SetSource } from './manifest.js';
import type { Row } from './read-rows.js';

/** A record as a problem, with what was missing left empty: checking comes afterwards and reports by id. */
export function mapRow(row: Row, index: number, source: SetSource, set: string): Problem {
  const { id, problem, answer } = source.fields;
  const given = id === undefined ? undefined : row[id];
  return {
    id: shortened(given === undefined || given === null ? String(index) : String(given), `${set}/`),
    benchmark: set,
    prompt: typeof row[problem] === 'string' ? row[problem] : '',
    gold: goldOf(row[answer], source.answer),
  };
}

function goldOf(value: unknown, rules: SetSource['answer']): string {
  let answer = value;
  if (rules.includes('first-of-list') && Array.isArray(answer)) [answer] = answer;
  if (typeof answer === 'bigint' || typeof answer === 'number') answer = String(answer);
  if (typeof answer !== 'string') return '';
  let text = answer;
  if (rules.includes('after-marker')) {
    const marker = text.lastIndexOf('####');
    text = marker < 0 ? '' : text.slice(marker + 4);
  }
  if (rules.includes('last-box')) text = /\\(?:boxed|fbox)/.test(text) ? extractGold(text) : '';
  text = trimmed(text);
  if (rules.includes('without-dollars')) text = trimmed(text.replace(/^\$+([^$]*)\$+$/, '$1'));
  if (rules.includes('plain-number') && /^-?\d+(?:\.0*)?$/.test(text))
    text = BigInt(text.replace(/\.0*$/, '')).toString();
  return text;
}

/**
 * The text without white space at its ends. A form feed or tab that begins it and stands for a lost backslash is no
 * white space: taking it off would leave `rac12` of `\frac12`, and nothing to see it by.
 */
function trimmed(text: string): string {
  return restoreLostBackslashes(text) === text ? text.trim() : text.replace(/^(?: |\r?\n)+/, '').trimEnd();
}

function shortened(id: string, prefix: string): string {
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}
