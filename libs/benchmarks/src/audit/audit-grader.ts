import type { Verdict } from '@capo/samples';
import { compareAnswers } from '../equivalence/equivalence.js';
import { extractAnswer, extractGold } from '../extraction/extract-answer.js';
import type { Grader } from '../grader.js';
import type { LabelledPair } from './labelled-pairs.js';

/** How often the grader agrees with labels. */
export interface Agreement {
  agree: number;
  of: number;
}

/** A pair on which the grader and the label disagree. */
export interface Disagreement {
  where: string;
  gold: string;
  /** What was taken from the reply; null when nothing was. */
  answer: string | null;
  label: 'equal' | 'different';
  verdict: Verdict;
  reason: string;
}

/** What an audit found. */
export interface Audit {
  graderVersion: string;
  verdicts: Agreement;
  /** By kind of answer, the most frequent first; pairs without a kind count as `unsorted`. */
  byKind: { kind: string; agreement: Agreement }[];
  /** How often extraction agrees with the origin's, where the origin says what it took. */
  extraction: Agreement;
  counts: Record<Verdict, number>;
  disagreements: Disagreement[];
  extractionDisagreements: { where: string; origin: string | null; answer: string | null }[];
}

/**
 * Grades labelled pairs and compares with their labels. The label "equal" agrees with `correct`, and "different" with
 * `wrong` and `no-answer`; a `grader-error` or a `timeout` agrees with nothing. Extraction agrees when both took the
 * same answer by the grader's own equivalence, or both none.
 */
export async function auditGrader(pairs: readonly LabelledPair[], grader: Grader): Promise<Audit> {
  const grades = await grader.grade(pairs);
  const counts = { correct: 0, wrong: 0, 'no-answer': 0, 'grader-error': 0, timeout: 0 };
  const audit: Audit = {
    graderVersion: grader.version,
    verdicts: { agree: 0, of: pairs.length },
    byKind: [],
    extraction: { agree: 0, of: 0 },
    counts,
    disagreements: [],
    extractionDisagreements: [],
  };
  const kinds = new Map<string, Agreement>();
  for (const [i, pair] of pairs.entries()) {
    const { verdict, answer, reason } = grades[i];
    counts[verdict]++;
    const agrees = pair.equal ? verdict === 'correct' : verdict === 'wrong' || verdict === 'no-answer';
    if (agrees) audit.verdicts.agree++;
    else {
      const label = pair.equal ? 'equal' : 'different';
      audit.disagreements.push({ where: pair.where, gold: extractGold(pair.gold), answer, label, verdict, reason });
    }
    for (const kind of pair.kinds.length > 0 ? pair.kinds : ['unsorted']) {
      const agreement = kinds.get(kind) ?? { agree: 0, of: 0 };
      agreement.of++;
      if (agrees) agreement.agree++;
      kinds.set(kind, agreement);
    }
    compareExtraction(pair, audit);
  }
  audit.byKind = [...kinds]
    .map(([kind, agreement]) => ({ kind, agreement }))
    .sort((a, b) => b.agreement.of - a.agreement.of || (a.kind < b.kind ? -1 : 1));
  return audit;
}

function compareExtraction({ originAnswer, response, where }: LabelledPair, audit: Audit): void {
  if (originAnswer === undefined) return;
  audit.extraction.of++;
  const { answer } = extractAnswer(response);
  if (sameExtraction(originAnswer, answer)) audit.extraction.agree++;
  else audit.extractionDisagreements.push({ where, origin: originAnswer, answer });
}

function sameExtraction(origin: string | null, answer: string | null): boolean {
  if (answer === null || !origin) return answer === null && !origin;
  try {
    return compareAnswers(origin, answer).outcome === 'equal';
  } catch {
    // Refused by the limits, which a text that is its own equal may be too.
    return origin.trim() === answer.trim();
  }
}
