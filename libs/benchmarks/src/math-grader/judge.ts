import { compareAnswers, type Equivalence } from '../equivalence/equivalence.js';
import { LimitError } from '../equivalence/limits.js';
import { MixedNumberError } from '../equivalence/literal-scanner.js';
import { type Extraction, extractAnswer, extractGold } from '../extraction/extract-answer.js';
import type { Grade, GradeRequest } from '../grader.js';

/** The version of extraction and equivalence together, kept with every sample that they judged. */
export const MATH_GRADER_VERSION = 'math/1';

/** A computer algebra system's opinion on two formulas: undefined when it has none. */
export type Algebra = (gold: string, answer: string) => boolean | undefined;

/** A judgement with all that it rests on. */
export interface Judgement extends Grade {
  /** What the extractor took as the reference's answer. */
  gold: string;
  extraction: Extraction;
  /** Undefined when there was no answer to compare, or it was refused. */
  comparison?: Equivalence;
}

/**
 * Judges one response: extracts its answer, compares it with the reference, and asks the computer algebra system where
 * the comparison cannot tell. An answer beyond the limits, or half a mixed number, is no answer; a reference that
 * cannot be read, and a comparison that nothing could decide, are errors of the grader and never `wrong`.
 */
export function judge({ response, gold }: GradeRequest, algebra?: Algebra): Judgement {
  const reference = extractGold(gold);
  const extraction = extractAnswer(response);
  const base = { gold: reference, extraction, answer: extraction.answer };
  if (reference === '') return { ...base, verdict: 'grader-error', reason: 'the reference is empty' };
  if (extraction.answer === null) return { ...base, verdict: 'no-answer', reason: extraction.rule };
  const rule = extraction.fallback ? `${extraction.rule} (fallback)` : extraction.rule;
  try {
    const comparison = compareAnswers(reference, extraction.answer);
    return { ...base, comparison, ...verdictOf(comparison, rule, algebra) };
  } catch (error) {
    if (!(error instanceof MixedNumberError || error instanceof LimitError)) throw error;
    return { ...base, verdict: 'no-answer', reason: `${rule}, ${error.message}` };
  }
}

function verdictOf(comparison: Equivalence, rule: string, algebra?: Algebra): Pick<Grade, 'verdict' | 'reason'> {
  const reason = `${rule}, ${comparison.rule}`;
  if (comparison.outcome !== 'unclear')
    return { verdict: comparison.outcome === 'equal' ? 'correct' : 'wrong', reason };
  const opinion = algebra?.(comparison.gold.notation, comparison.answer.notation);
  if (opinion === undefined) return { verdict: 'grader-error', reason: `${reason}, not decided` };
  return { verdict: opinion ? 'correct' : 'wrong', reason: `${reason}, computer algebra` };
}
