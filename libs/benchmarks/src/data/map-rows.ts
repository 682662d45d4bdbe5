import { extractGold } from '../extraction/extract-answer.js';
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
  text = text.trim();
  if (rules.includes('without-dollars')) text = text.replace(/^\$+([^$]*)\$+$/, '$1').trim();
  if (rules.includes('plain-number') && /^-?\d+(?:\.0*)?$/.test(text))
    text = BigInt(text.replace(/\.0*$/, '')).toString();
  return text;
}

function shortened(id: string, prefix: string): string {
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}
