/** A stretch of prose that reads as mathematics: a number, a fraction, a LaTeX expression without delimiters. */
export interface MathRun {
  start: number;
  end: number;
  text: string;
  /** A number with its sign, currency or percent and nothing else. */
  isNumber: boolean;
}

const FUNCTION_WORDS = new Set([
  'sin',
  'cos',
  'tan',
  'cot',
  'sec',
  'csc',
  'log',
  'ln',
  'exp',
  'sqrt',
  'pi',
  'arcsin',
  'arccos',
  'arctan',
]);

/** Tokens of mathematics; anything else ends a run. A number starts and ends with a digit. */
const TOKEN =
  /\\(?:text|mbox|textbf|textrm|textit|mathrm|operatorname)\s*\{[^{}]{0,200}\}|\\[a-zA-Z]+|\\[ ,;:!%${}|]|\.?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?|[a-zA-Z]+|[-+*/^_=<>(){}[\]|!%$€£¥°²³√π∞≤≥≠×·÷−±'&:,;]|\s+|[\s\S]/gy;

const OPENING = '([{';
const NUMBER =
  /^[-−+]?\s*(?:\\?[$€£¥])?\s*[-−+]?(?:\d+(?:[.,]\d+)*|\.\d+)(?:[eE][-+]?\d+)?(?:\s*(?:\/\s*\d+|\d+\/\d+))?\s*(?:\\?[%$€£¥°])?$/;

/**
 * The stretches of prose that read as mathematics and hold a digit or a command, in order. `a value of 2/3.` gives
 * `2/3`; `costs $1,000.99` gives `$1,000.99`; `b = 70 apples` gives `70`; digits inside a word (`AZ2A`) give nothing.
 */
export function mathRuns(text: string): MathRun[] {
  const runs: MathRun[] = [];
  let start = -1;
  let end = -1;
  const finish = () => {
    if (start >= 0) {
      const run = trimRun(text, start, end);
      if (run) runs.push(run);
    }
    start = -1;
  };
  TOKEN.lastIndex = 0;
  let previous = '';
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const token = match[0];
    const at = match.index;
    const isSpace = token.trim() === '' && token !== '';
    if (isSpace) {
      if (token.includes('\n\n')) finish();
    } else if (belongs(token, previous, text, at)) {
      if (start < 0) start = at;
      end = at + token.length;
    } else finish();
    previous = token;
  }
  finish();
  return runs;
}

function belongs(token: string, previous: string, text: string, at: number): boolean {
  if (/^\\(?:text|mbox|textbf|textrm|textit)/.test(token)) return false;
  if (token[0] === '\\') return token.length > 1 && (token !== '\\ ' || /[\d}]/.test(previous.at(-1) ?? ''));
  if (/^\.?\d/.test(token)) return !/[a-zA-Z]$/.test(previous) || text[at - 1] === ' ' || FUNCTION_WORDS.has(previous);
  if (/^[a-zA-Z]+$/.test(token)) {
    if (FUNCTION_WORDS.has(token)) return true;
    // A letter is a symbol; "a", "A" and "I" are words, and after a digit most letters are units.
    return (
      token.length === 1 &&
      !/^[aAI]$/.test(token) &&
      !/['’]$/.test(previous) &&
      (!/\d$/.test(previous) || /[iknpqrtuvxyz]/.test(token))
    );
  }
  if (token === ',' || token === ':') return /\d$/.test(previous) && /^\d/.test(text.slice(at + 1, at + 2));
  return (
    token !== ';' &&
    token !== '&' &&
    token.length === 1 &&
    !/[^\x20-\x7e€£¥°²³√π∞≤≥≠×·÷−±]/.test(token) &&
    !/[.?"#@~`]/.test(token)
  );
}

/** Takes off what cannot begin or end an expression, and in prose everything up to the last equals sign. */
function trimRun(text: string, from: number, to: number): MathRun | undefined {
  let run = text.slice(from, to);
  const equals = Math.max(run.lastIndexOf('='), run.lastIndexOf('\\approx'), run.lastIndexOf('≈'));
  let start = from;
  if (equals >= 0) {
    const skip = run[equals] === '\\' ? 7 : 1;
    start += equals + skip;
    run = run.slice(equals + skip);
  }
  const lead = /^(?:[\s*/^_=>,;:!'|)}\]]|\\[ ,;:!])+/.exec(run);
  if (lead) {
    start += lead[0].length;
    run = run.slice(lead[0].length);
  }
  run = run.replace(/(?:[\s*/^_=<>,;:+\-−(['&|]|\\[ ,;:!])+$/, '');
  // A single letter that hangs on by a space is a word of the sentence or a label, not a factor: "34 s", "n is 34".
  run = run.replace(/(?<=\d)\s+[a-zA-Z]$/, '').replace(/^[a-zA-Z]\s+(?=\d)/, '');
  run = balanced(run);
  if (!/\d|\\[a-zA-Z]|[π∞√]/.test(run)) return undefined;
  return { start, end: start + run.length, text: run, isNumber: NUMBER.test(run) };
}

/** Takes off brackets at the ends that have no partner within the run. */
function balanced(run: string): string {
  const open: number[] = [];
  let firstUnmatchedClose = -1;
  for (let i = 0; i < run.length; i++) {
    if (run[i] === '\\') i++;
    else if (OPENING.includes(run[i])) open.push(i);
    else if (')]}'.includes(run[i])) {
      if (open.length > 0) open.pop();
      else if (firstUnmatchedClose < 0) firstUnmatchedClose = i;
    }
  }
  if (firstUnmatchedClose >= 0) return balanced(run.slice(0, firstUnmatchedClose).trimEnd());
  if (open.length > 0) return run.slice(open[open.length - 1] + 1).trim();
  return run;
}
