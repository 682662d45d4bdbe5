import { restoreLostBackslashes } from './lost-backslash.js';

/** The longest part of a reply that is looked at, in characters, counted from its end, where answers stand. */
const MAX_REPLY = 400_000;

/** Tokens of chat templates that end a turn: what follows was not part of the reply. */
const END_OF_TURN = [
  '<|im_end|>',
  '<|im_start|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<|end_of_text|>',
  '<｜end▁of▁sentence｜>',
  '</s>',
];

const THINKING_END = /<\/think(?:ing)?>|◁\/think▷|<\|end_of_thought\|>/gi;
const THINKING_START = /<think(?:ing)?>|◁think▷|<\|begin_of_thought\|>/gi;

/** The part of a reply that may hold its answer. */
export interface ReplyText {
  text: string;
  /** The reply ends inside its thinking block, so that nothing was answered. */
  unfinishedThinking: boolean;
}

/**
 * The part of a reply that may hold its answer: what stands after the thinking block, up to the end of the turn, with
 * Markdown emphasis, code fences and calculator annotations (`<<3+4=7>>`) taken off. What a model writes while it
 * thinks is never its answer.
 */
export function replyText(reply: string): ReplyText {
  let text = reply.length > MAX_REPLY ? reply.slice(-MAX_REPLY) : reply;
  text = restoreLostBackslashes(firstTurn(text));
  const thinkingEnd = lastMatch(THINKING_END, text);
  if (thinkingEnd) text = text.slice(thinkingEnd.index + thinkingEnd[0].length);
  const openThinking = lastMatch(THINKING_START, text);
  if (openThinking) text = text.slice(0, openThinking.index);
  return { text: plainMarkdown(text), unfinishedThinking: openThinking !== undefined };
}

function firstTurn(reply: string): string {
  let text = reply.replace(/^\s*(?:<\|im_start\|>|<\|start_header_id\|>)\s*assistant(?:<\|end_header_id\|>)?/, '');
  for (const token of END_OF_TURN) {
    const end = text.indexOf(token);
    if (end >= 0) text = text.slice(0, end);
  }
  return text;
}

function plainMarkdown(text: string): string {
  return text
    .replace(/<<[^<>\n]{1,200}>>/g, '')
    .replace(/^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$/gm, '')
    .replace(/(?<![\w*])\*\*(?=\S)([^*\n]{1,400}?)(?<=\S)\*\*(?![\w*])/g, '$1')
    .replace(/(?<![\w_])__(?=\S)([^_\n]{1,400}?)(?<=\S)__(?![\w_])/g, '$1')
    .replace(/`([^`\n]{1,200})`/g, '$1');
}

/** The last match of a global pattern. */
export function lastMatch(pattern: RegExp, text: string): RegExpExecArray | undefined {
  let last: RegExpExecArray | undefined;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    last = match;
    if (match[0] === '') pattern.lastIndex++;
  }
  return last;
}
