/** One box of a text: where it starts and ends, and what is in it. */
interface Box {
  start: number;
  end: number;
  content: string;
}

const BOX_START = /\\+(?:boxed|fbox|framebox)(?![a-zA-Z])\s*|<\|begin_of_box\|>/g;
/** The most boxes that are looked at. */
const MAX_BOXES = 64;
const BOX_TOKEN_END = '<|end_of_box|>';

/**
 * The last non-empty boxes of a text, in order: `\boxed{..}` and `\fbox{..}` with balanced braces, spaces before the brace,
 * the brace-less `\boxed 5`, and box tokens. Of nested boxes the innermost counts. A box that is never closed is left
 * out: its content may have been cut.
 */
function findBoxes(text: string): Box[] {
  const boxes: Box[] = [];
  // Only the last ones can be the answer, and a text made of nothing but open boxes must not take for ever.
  for (const match of [...text.matchAll(BOX_START)].slice(-MAX_BOXES)) {
    const start = match.index;
    const inside = start + match[0].length;
    const box = match[0].startsWith('<') ? tokenBox(text, start, inside) : latexBox(text, start, inside);
    if (!box || isEmpty(box.content)) continue;
    // A nested box is met after the one around it, and replaces its content.
    const outer = boxes.at(-1);
    if (outer && box.end <= outer.end) boxes[boxes.length - 1] = { ...outer, content: box.content };
    else boxes.push(box);
  }
  return boxes;
}

function tokenBox(text: string, start: number, inside: number): Box | undefined {
  const close = text.indexOf(BOX_TOKEN_END, inside);
  if (close < 0) return undefined;
  return { start, end: close + BOX_TOKEN_END.length, content: text.slice(inside, close) };
}

function latexBox(text: string, start: number, inside: number): Box | undefined {
  if (text[inside] !== '{') {
    const bare = /^(?:\\[a-zA-Z]+(?:\{[^{}]*\})*|[^\s${}\\.,;]+(?:[.,]\d+)*)/.exec(text.slice(inside, inside + 100));
    return bare ? { start, end: inside + bare[0].length, content: bare[0] } : undefined;
  }
  const close = closingBrace(text, inside);
  return close < 0 ? undefined : { start, end: close + 1, content: text.slice(inside + 1, close) };
}

/** The index of the brace that closes the one at `open`, or -1. Escaped braces do not count. */
function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 92) i++;
    else if (c === 123) depth++;
    else if (c === 125 && --depth === 0) return i;
  }
  return -1;
}

function isEmpty(content: string): boolean {
  return content.replace(/\\[ ,;:!]|[\s{}$.~]/g, '') === '';
}

/** What is only spacing between boxes that are one answer together. */
const SPACING = /\\(?:quad|qquad|text|mbox|textnormal|mathrm|[ ,;:!])|[\s{}~]/g;
/** A formula ends or starts in the gap. */
const DELIMITER = /\$|\\[()[\]]/g;

/**
 * The content of the last box, or of the run of boxes that ends with it when only commas, "and", "or" or spacing
 * within one formula stand between them, joined by commas. A box that stands in a sentence or formula of its own is an
 * answer of its own.
 */
export function lastBoxedAnswer(text: string): string | undefined {
  const boxes = findBoxes(text);
  let i = boxes.length - 1;
  if (i < 0) return undefined;
  const contents = [boxes[i].content];
  for (; i > 0; i--) {
    const gap = text.slice(boxes[i - 1].end, boxes[i].start);
    if (!joins(gap)) break;
    contents.unshift(boxes[i - 1].content);
  }
  return contents.join(', ').trim();
}

/** Whether boxes with that text between them are parts of one answer: `\boxed{2} \quad \text{and} \quad \boxed{1}`. */
function joins(gap: string): boolean {
  if (gap.length > 60 || /\n\s*\n|[.!?=]/.test(gap.replace(/\\[!.=]/g, ''))) return false;
  const words = gap.replace(DELIMITER, '').replace(SPACING, ' ').split(' ').filter(Boolean);
  // Side by side in one formula with a wide space between them; two formulas side by side are two answers.
  if (words.length === 0) return gap.includes('\\q') && gap.search(DELIMITER) < 0;
  if (words.every((word) => /^(?:[,;&]|\+{2,}|and|or)+$/i.test(word))) return true;
  return words.length <= 6 && /^(?:and|or)$/i.test(words[words.length - 1]);
}
