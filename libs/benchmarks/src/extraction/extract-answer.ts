import { lastBoxedAnswer } from './boxed.js';
import { phraseAnswer } from './final-phrase.js';
import { restoreLostBackslashes } from './lost-backslash.js';
import { lastMatch, replyText } from './reply-text.js';
import { isBareAnswer, tidyAnswer } from './tidy.js';
import { lastWeakAnswer } from './weak-answer.js';

/** The rules by which an answer is found, in the order in which they are tried. */
export const EXTRACTION_RULES = [
  /** `<answer>..</answer>`. */
  'answer-tag',
  /** `\boxed{..}`, `\fbox{..}`, or box tokens. */
  'box',
  /** GSM8K's `#### 15`. */
  'marker',
  /** "The final answer is ..", "Answer: ..". */
  'phrase',
  /** The reply is an answer and nothing else. */
  'bare',
  /** Fallback: the last formula. */
  'last-math',
  /** Fallback: the last number. */
  'last-number',
  /** Fallback: an option letter. */
  'choice',
] as const;
export type ExtractionRule = (typeof EXTRACTION_RULES)[number];

/** What was found in a reply. */
export interface Extraction {
  /** The answer as it stands in the reply, without delimiters around it; null when there is none. */
  answer: string | null;
  /** The rule that fired, or why there is no answer. */
  rule: ExtractionRule | 'no answer' | 'unfinished thinking';
  /** Nothing in the reply marks this as its answer: the last formula, number or letter was taken. */
  fallback: boolean;
}

const ANSWER_TAG = /<(final_?answer|answer)>([\s\S]*?)(?:<\/\1>|$)/gi;
/** A second marker on the same line begins a new answer. */
const MARKER = /####[ \t]*((?:(?!####)[^\n])*)/g;

/**
 * The answer of a reply: the one extractor of training reward and evaluation.
 *
 * Tried in order: the last answer tag, the last balanced box, the last `####` marker, the last final-answer phrase, the
 * whole reply when it is nothing but an answer; then, flagged as a fallback, the last formula, number or option letter.
 * Thinking blocks are never searched. A reply cut inside its thinking block, or without anything that could be an
 * answer, has none.
 *
 * @example
 * extractAnswer('So it is \\boxed{\\frac{1}{2}}.') // { answer: '\\frac{1}{2}', rule: 'box', fallback: false }
 * extractAnswer('7 * 5 = 12 + 3 = 15 #### 15').rule // 'marker'
 */
export function extractAnswer(reply: string): Extraction {
  const { text, unfinishedThinking } = replyText(reply);
  const tag = lastMatch(ANSWER_TAG, text);
  if (tag && tag[2].trim() !== '') {
    const inside = markedAnswer(tag[2]) ?? unmarkedAnswer(tag[2]);
    return { answer: inside?.answer ?? tidyAnswer(tag[2]), rule: 'answer-tag', fallback: false };
  }
  const found = markedAnswer(text) ?? unmarkedAnswer(text);
  if (found) return found;
  return { answer: null, rule: unfinishedThinking ? 'unfinished thinking' : 'no answer', fallback: false };
}

/**
 * The answer of a reference: what a marker in it points at, or all of it. A reference may be a whole solution that ends
 * in a box or in `#### 15`.
 */
export function extractGold(gold: string): string {
  const text = restoreLostBackslashes(gold);
  return markedAnswer(text)?.answer ?? tidyAnswer(text);
}

function markedAnswer(text: string): Extraction | undefined {
  const boxed = lastBoxedAnswer(text);
  if (boxed !== undefined) return { answer: tidyAnswer(boxed), rule: 'box', fallback: false };
  const marker = markerAnswer(text);
  if (marker !== undefined) return { answer: marker, rule: 'marker', fallback: false };
  const phrase = phraseAnswer(text);
  if (phrase !== undefined) return { answer: phrase, rule: 'phrase', fallback: false };
  return undefined;
}

function unmarkedAnswer(text: string): Extraction | undefined {
  if (isBareAnswer(text)) return { answer: tidyAnswer(text), rule: 'bare', fallback: false };
  const weak = lastWeakAnswer(text);
  return weak && { ...weak, answer: tidyAnswer(weak.answer), fallback: true };
}

/**
 * What follows the last `####`. Elsewhere than on the last line the same characters begin a Markdown heading, so there
 * the rest of the line must be an expression without words.
 */
function markerAnswer(text: string): string | undefined {
  const marker = lastMatch(MARKER, text);
  const answer = marker && tidyAnswer(marker[1]);
  if (!marker || !answer) return undefined;
  const isLast = text.slice(marker.index + marker[0].length).trim() === '';
  if (isLast ? /\d/.test(answer) || isBareAnswer(answer) : isBareAnswer(answer) && !/[a-zA-Z]{2,}/.test(answer)) {
    return answer;
  }
  return undefined;
}
