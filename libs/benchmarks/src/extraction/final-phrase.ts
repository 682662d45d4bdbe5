import { isBareAnswer, tidyAnswer } from './tidy.js';
import { sentenceAnswer } from './weak-answer.js';

const COPULA = String.raw`(?:is|are|was|will be|should be|must be|would be|equals)\b(?:\s+(?:therefore|thus|simply|exactly|then|indeed)\b)?`;

/** What announces a final answer, in the languages that public evaluation sets use. */
const PHRASE = new RegExp(
  [
    String.raw`\banswers?\b(?:\s+(?:to|of|for|choice|option)\b[^.:\n$\\]{0,80}?)?\s*(?:${COPULA}\s*:?|[:：=])`,
    String.raw`\banswers?\b\s*(?=\$|\\\(|\\\[)`,
    String.raw`\bfinal answers?\b[ \t]*(?=\n)`,
    String.raw`(?:^|\n)\s*A:`,
    '答案(?:是|为|為|:|：)',
    String.raw`\br[ée]ponse(?: finale)? (?:est|:)|\brespuesta(?: final)? (?:es|:)|\b(?:antwort|lösung)(?: ist| lautet|:)`,
  ].join('|'),
  'gi',
);

/** The most phrases that are tried, from the last one back. */
const MAX_PHRASES = 32;

/** Tails that speak about the answer and do not state it: "I hope the answer is correct". */
const COMMENT =
  /^(?:correct|right|wrong|incorrect|valid|reasonable|below|above|as follows|given|in|not|verified|consistent|clear|obvious|unique|yes it is|found|obtained|expressed|rounded|therefore|thus)\b[^\d$\\]*$/i;

/** What the last phrase such as "the final answer is" announces, or undefined. */
export function phraseAnswer(text: string): string | undefined {
  const phrases = [...text.matchAll(PHRASE)].slice(-MAX_PHRASES).reverse();
  for (const phrase of phrases) {
    const answer = announced(text.slice(phrase.index + phrase[0].length, phrase.index + phrase[0].length + 4000));
    if (answer !== undefined) return answer;
  }
  return undefined;
}

function announced(tail: string): string | undefined {
  const sentence = firstSentence(tail.replace(/^[\s:*_#>]+/, ''));
  const tidy = tidyAnswer(sentence);
  if (tidy === '' || COMMENT.test(tidy)) return undefined;
  if (isBareAnswer(tidy)) return tidy;
  const answer = sentenceAnswer(sentence);
  return answer === undefined ? undefined : tidyAnswer(answer);
}

/** Up to the full stop or line break that ends the sentence; those inside formulas do not count. */
function firstSentence(text: string): string {
  let closing = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '\\') {
      const next = text[i + 1];
      if (closing === '' && (next === '(' || next === '[')) closing = next === '(' ? ')' : ']';
      else if (next === closing) closing = '';
      i++;
    } else if (c === '$') {
      if (text[i + 1] === '$') i++;
      if (closing === '') closing = '$';
      else if (closing === '$') closing = '';
    } else if (c === '\n' && (closing === '' || text[i + 1] === '\n')) {
      // An environment that is open goes on: \begin{pmatrix} 1 \\ 2 \end{pmatrix} over several lines.
      if (!/\\begin\{[^{}]*\}(?![\s\S]*\\end\{)/.test(text.slice(0, i))) return text.slice(0, i);
    } else if (closing === '' && /[。！；]/.test(c)) return text.slice(0, i);
    else if (closing === '' && /[.!?;]/.test(c) && /^(?:\s+[A-Z\\$*(<]|\s*$)/.test(text.slice(i + 1, i + 6))) {
      return text.slice(0, i);
    }
  }
  return text;
}
