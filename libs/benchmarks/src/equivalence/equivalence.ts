import type { AnswerValue } from './answer-value.js';
import { compareValues } from './compare-values.js';
import { type Comparison, decide, different, unclear } from './comparison.js';
import { LIMITS, LimitError } from './limits.js';
import { MixedNumberError } from './literal-scanner.js';
import { plainNotation } from './notation.js';
import { parseAnswer } from './parse-answer.js';
import { UnsupportedError } from './parse-expression.js';
import { printAnswer } from './print.js';
import { readings } from './readings.js';
import { ParseError } from './scanner.js';
import { compareTexts } from './text-answer.js';

/** How an answer was read. */
export interface ReadAnswer {
  /** The plain notation. */
  notation: string;
  /** The readings of it as mathematics, the likeliest first. Empty when there is none. */
  values: AnswerValue[];
  /** Why there is no reading. */
  error?: Error;
}

/** The verdict of a comparison, with what it rests on. */
export interface Equivalence extends Comparison {
  gold: ReadAnswer;
  answer: ReadAnswer;
}

const INTEGER = /^[-+]?\d{1,200}$/;

/**
 * Compares an answer with the reference: as text, then as mathematics. Both are answers without the text around them,
 * as the extractor gives them. `unclear` means that the mathematics could not be worked out here, and a computer
 * algebra system may know.
 *
 * @throws {LimitError} when the answer is beyond the limits.
 * @throws {MixedNumberError} when the answer is a mixed number without a proper fraction: it is no answer.
 */
export function compareAnswers(gold: string, answer: string): Equivalence {
  const [g, a] = [gold.trim(), answer.trim()];
  if (a.length > LIMITS.length || g.length > LIMITS.length) throw new LimitError('length');
  if (INTEGER.test(g) && INTEGER.test(a)) {
    return { ...decide(BigInt(g) === BigInt(a), 'whole numbers'), gold: unread(g), answer: unread(a) };
  }
  const [goldNotation, answerNotation] = [plainNotation(g), plainNotation(a)];
  const asText = compareTexts(goldNotation, answerNotation);
  if (asText) return { ...asText, gold: unread(goldNotation), answer: unread(answerNotation) };
  const [readGold, readAnswer] = [read(goldNotation), read(answerNotation)];
  if (readAnswer.error instanceof MixedNumberError || readAnswer.error instanceof LimitError) throw readAnswer.error;
  return { ...compareReadings(readGold, readAnswer), gold: readGold, answer: readAnswer };
}

function unread(notation: string): ReadAnswer {
  return { notation, values: [] };
}

function read(notation: string): ReadAnswer {
  const values: AnswerValue[] = [];
  let error: Error | undefined;
  for (const reading of readings(notation)) {
    try {
      values.push(parseAnswer(reading));
    } catch (reason) {
      if (!(reason instanceof ParseError || reason instanceof LimitError)) throw reason;
      error ??= reason;
    }
  }
  return values.length > 0 || !error ? { notation, values } : { notation, values, error };
}

function compareReadings(gold: ReadAnswer, answer: ReadAnswer): Comparison {
  if (gold.values.length === 0 || answer.values.length === 0) {
    const mathematical = (side: ReadAnswer) => side.values.length > 0 || side.error instanceof UnsupportedError;
    const reason = `not read as mathematics: ${gold.error?.message ?? answer.error?.message ?? 'empty'}`;
    return mathematical(gold) && mathematical(answer) ? unclear(reason) : different(reason);
  }
  let first: Comparison | undefined;
  for (const g of gold.values) {
    for (const a of answer.values) {
      const found = compareValues(g, a);
      if (found.outcome === 'equal') return found;
      first ??= found;
    }
  }
  return first as Comparison;
}

/** An answer as it was read, for a person. */
export function printRead(read: ReadAnswer): string {
  return read.values.length > 0 ? read.values.map(printAnswer).join('  or  ') : read.notation;
}
