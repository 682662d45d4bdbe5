import { ParseError } from './scanner.js';

/**
 * The parts of a text between separators that stand outside all brackets, braces, environments and, for separators
 * other than a bar, absolute values. Half-open intervals close with another bracket than they open with.
 *
 * @param separator a sticky pattern
 * @param found receives the separators
 * @throws {ParseError} when a part is empty, except before the first separator.
 */
export function splitTopLevel(text: string, separator: RegExp, found?: string[]): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; ) {
    if (depth === 0) {
      separator.lastIndex = i;
      const match = separator.exec(text);
      if (match && match[0] !== '') {
        parts.push(text.slice(from, i));
        found?.push(match[0]);
        i += match[0].length;
        from = i;
        continue;
      }
    }
    const c = text[i];
    if (c === '\\') {
      const command = /^\\(?:[a-zA-Z]+|[\s\S]?)/.exec(text.slice(i, i + 24)) as RegExpExecArray;
      if (/^\\(?:begin|langle|lfloor|lceil|\{)$/.test(command[0])) depth++;
      else if (/^\\(?:end|rangle|rfloor|rceil|\})$/.test(command[0])) depth--;
      i += command[0].length;
      continue;
    }
    if (c === '(' || c === '[' || c === '{') depth++;
    else if (c === ')' || c === ']' || c === '}') depth--;
    i++;
  }
  parts.push(text.slice(from));
  if (parts.some((part, i) => i > 0 && part.trim() === '')) throw new ParseError('nothing after a separator');
  return parts.map((part) => part.trim());
}
