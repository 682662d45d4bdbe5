import type { AnswerValue, Bracket, RelationOperator } from './answer-value.js';
import { type Expression, mapChildren, negative, some } from './expression.js';
import { LIMITS, LimitError } from './limits.js';
import { parseExpression } from './parse-expression.js';
import { ParseError } from './scanner.js';
import { splitTopLevel } from './split.js';

/**
 * The answer that a text in the plain notation, without words, is: an expression, a relation, or a list, set, tuple,
 * interval or union of answers. Plus-minus signs are written out.
 *
 * @throws {ParseError} naming what could not be read.
 * @throws {LimitError} for answers beyond the limits.
 */
export function parseAnswer(text: string): AnswerValue {
  const variants = writtenOut(parseList(text.replace(/[\s.,;]+$/, '').trim()));
  return variants.length === 1 ? variants[0] : { kind: 'list', items: variants };
}

function parseList(text: string): AnswerValue {
  const groups = splitTopLevel(text, /;|\\\\/y);
  if (groups.length > 1)
    return list(groups.map((group) => (group.includes('=') ? parseGroup(group) : parseList(group))));
  const items = splitTopLevel(text, /,/y);
  if (items.length === 1) return parseItem(text);
  return list(items.map(parseItem));
}

/** `p = 5, q = 2` between semicolons is one point. */
function parseGroup(text: string): AnswerValue {
  const items = splitTopLevel(text, /,/y);
  if (items.length === 1) return parseItem(text);
  return { kind: 'tuple', open: '(', close: ')', items: items.map(parseItem) };
}

/** An item may stand for several values, as `1 \pm 2` does: they join the list. */
function list(parsed: AnswerValue[]): AnswerValue {
  const items = parsed.flatMap(writtenOut);
  if (items.length > LIMITS.elements) throw new LimitError('elements');
  return { kind: 'list', items };
}

const RELATION =
  /\\(?:le|ge|ne|lt|gt|approx|simeq|sim|equiv|in|implies|iff|to|rightarrow|Rightarrow|colon)(?![a-zA-Z])|<=|>=|!=|==|:=|\\neq|=|<|>/y;
const OPERATORS: Readonly<Record<string, RelationOperator>> = {
  '=': '=',
  '==': '=',
  ':=': '=',
  '\\equiv': '=',
  '<': '<',
  '\\lt': '<',
  '>': '>',
  '\\gt': '>',
  '<=': '<=',
  '\\le': '<=',
  '>=': '>=',
  '\\ge': '>=',
  '!=': '!=',
  '\\ne': '!=',
  '\\approx': '~',
  '\\simeq': '~',
  '\\sim': '~',
};

function parseItem(text: string): AnswerValue {
  const separators: string[] = [];
  const sides = splitTopLevel(text, RELATION, separators);
  if (sides.length === 1) return parseSet(text);
  const membership = separators.lastIndexOf('\\in');
  if (membership >= 0) return parseSet(sides.slice(membership + 1).join(separators[membership + 1] ?? ''));
  const operators = separators.map((separator) => OPERATORS[separator]);
  if (operators.some((operator) => operator === undefined))
    throw new ParseError(`the relation ${separators[0]} is not known`);
  // "= 5" is what follows something that was left out.
  if (sides[0].trim() === '' && sides.length === 2 && operators[0] === '=') return parseSet(sides[1]);
  return { kind: 'relation', operators, sides: sides.map((side) => parseSet(side)) };
}

function parseSet(text: string): AnswerValue {
  const content = text.trim();
  const unions = splitTopLevel(content, /\\cup(?![a-zA-Z])|\\bigcup(?![a-zA-Z])/y);
  if (unions.length > 1) return { kind: 'union', parts: unions.map(parseSet) };
  const without = splitTopLevel(content, /\\(?:setminus|backslash|smallsetminus)(?![a-zA-Z])/y);
  if (without.length === 2) return { kind: 'without', from: parseSet(without[0]), removed: parseSet(without[1]) };
  if (/^(?:\\mathbb\s*\{?\s*R\s*\}?|\\R|\\Reals)$/.test(content)) return { kind: 'reals' };
  if (/^(?:\\emptyset|\\varnothing|\\\{\s*\\\})$/.test(content)) return { kind: 'set', items: [] };
  return (
    parseBraces(content) ??
    parseBrackets(content) ??
    parseRatio(content) ?? { kind: 'expression', expression: parseExpression(content) }
  );
}

function parseBraces(text: string): AnswerValue | undefined {
  const escaped = /^\\\{([\s\S]*)\\\}$/.exec(text);
  const plain = escaped ? null : /^\{([\s\S]*)\}$/.exec(text);
  const inside = escaped?.[1] ?? plain?.[1];
  if (inside === undefined || splitTopLevel(text, /(?!)/y).length !== 1 || !closesAtEnd(text)) return undefined;
  // Braces without a backslash only group, unless there is a comma between them.
  if (plain && splitTopLevel(inside, /,/y).length === 1) return parseItem(inside);
  const condition = splitTopLevel(inside, /\||:/y);
  if (condition.length === 2 && /[<>=]|\\(?:le|ge|ne|in)/.test(condition[1])) return parseList(condition[1]);
  const parsed = parseList(inside);
  return { kind: 'set', items: parsed.kind === 'list' ? parsed.items : writtenOut(parsed) };
}

function parseBrackets(text: string): AnswerValue | undefined {
  const angle = /^\\langle([\s\S]*)\\rangle$/.exec(text);
  if (angle) return tuple('<', '>', angle[1]);
  // ]0, 1[ is the open interval in French notation.
  const match = /^([([\]])([\s\S]*)([)\][])$/.exec(text);
  if (!match || (match[1] !== ']' && !closesAtEnd(text))) return undefined;
  const open: Bracket = match[1] === '[' ? '[' : '(';
  const close: Bracket = match[3] === ']' ? ']' : ')';
  const plainOpen = match[1] === ']' ? '(' : open;
  const items = splitTopLevel(match[2], /,|;/y);
  if (items.length < 2) {
    // Brackets around a single set, list or relation only group.
    return /\\cup|[<>=]|\\[lgn]e(?![a-zA-Z])/.test(match[2]) && match[1] === '(' ? parseItem(match[2]) : undefined;
  }
  return tuple(plainOpen, match[3] === '[' ? ')' : close, match[2]);
}

function tuple(open: Bracket, close: Bracket, inside: string): AnswerValue {
  const items = splitTopLevel(inside, /,|;/y).map(parseItem);
  if (items.length > LIMITS.elements) throw new LimitError('elements');
  return { kind: 'tuple', open, close, items };
}

/** Whether the bracket that opens a text is closed by its last character. */
function closesAtEnd(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\' && !/[{}]/.test(text[i + 1] ?? '')) i++;
    else if ('([{'.includes(text[i])) depth++;
    else if (')]}'.includes(text[i]) && --depth === 0) return i === text.length - 1;
  }
  return false;
}

function parseRatio(text: string): AnswerValue | undefined {
  const parts = splitTopLevel(text, /:/y);
  return parts.length > 1 ? { kind: 'ratio', parts: parts.map(parseExpression) } : undefined;
}

/** The answers that one with plus-minus signs stands for: all signs of an answer change together. */
function writtenOut(value: AnswerValue): AnswerValue[] {
  if (value.kind === 'list' || value.kind === 'set' || !hasPlusMinus(value)) return [value];
  return [1, -1].map((sign) => mapExpressions(value, (e) => withSign(e, sign)));
}

function hasPlusMinus(value: AnswerValue): boolean {
  let found = false;
  mapExpressions(value, (e) => {
    found ||= some(e, (part) => part.kind === 'plus-minus');
    return e;
  });
  return found;
}

function withSign(e: Expression, sign: number): Expression {
  if (e.kind === 'plus-minus') {
    const arg = withSign(e.arg, sign);
    return e.sign * sign > 0 ? arg : negative(arg);
  }
  return mapChildren(e, (part) => withSign(part, sign));
}

/** The same answer with each of its expressions replaced. */
function mapExpressions(value: AnswerValue, map: (e: Expression) => Expression): AnswerValue {
  const inner = (part: AnswerValue) => mapExpressions(part, map);
  switch (value.kind) {
    case 'expression':
      return { ...value, expression: map(value.expression) };
    case 'list':
    case 'set':
    case 'tuple':
      return { ...value, items: value.items.map(inner) };
    case 'union':
      return { ...value, parts: value.parts.map(inner) };
    case 'without':
      return { ...value, from: inner(value.from), removed: inner(value.removed) };
    case 'ratio':
      return { ...value, parts: value.parts.map(map) };
    case 'relation':
      return { ...value, sides: value.sides.map(inner) };
    case 'reals':
      return value;
  }
}
