import type { AnswerValue, RelationOperator } from './answer-value.js';
import { compareExpressions, infinity } from './compare-expressions.js';
import { all, type Comparison, different } from './comparison.js';
import { exactValue } from './exact.js';
import { difference, type Expression, negative, variables } from './expression.js';
import { LimitError } from './limits.js';
import { isName } from './named.js';
import { evaluate, NotNumericError } from './numeric.js';
import { asPolynomial } from './polynomial.js';
import { multiply, negate, type Rational, rational, toNumber } from './rational.js';

interface Interval {
  low: Expression;
  high: Expression;
  lowClosed: boolean;
  highClosed: boolean;
}

/** A union of intervals, and what lies in it when the answer says so: `x`, `|z|`, `f(x)`. */
export interface RealSet {
  intervals: Interval[];
  subject?: Expression;
}

const INFINITY: Expression = { kind: 'constant', name: 'infinity' };
const MINUS_INFINITY = negative(INFINITY);
const REALS: Interval = { low: MINUS_INFINITY, high: INFINITY, lowClosed: false, highClosed: false };

/**
 * The set of real numbers that an answer describes: an interval, a union, a finite set, all reals without some, or a
 * condition on one variable. Undefined when it describes none, or not this simply.
 */
export function asRealSet(value: AnswerValue): RealSet | undefined {
  switch (value.kind) {
    case 'reals':
      return { intervals: [REALS] };
    case 'tuple':
      return intervalOf(value);
    case 'union':
      return joined(value.parts.map(asRealSet));
    case 'list':
      return value.items.every((item) => item.kind === 'relation' || item.kind === 'tuple')
        ? joinedConditions(value.items)
        : undefined;
    case 'set':
      return points(value.items);
    case 'without':
      return withoutPoints(asRealSet(value.from), asRealSet(value.removed));
    case 'relation':
      return condition(value.operators, value.sides);
    default:
      return undefined;
  }
}

function intervalOf({ items, open, close }: Extract<AnswerValue, { kind: 'tuple' }>): RealSet | undefined {
  const [low, high] = items;
  if (items.length !== 2 || low.kind !== 'expression' || high.kind !== 'expression' || open === '<') return undefined;
  return {
    intervals: [{ low: low.expression, high: high.expression, lowClosed: open === '[', highClosed: close === ']' }],
  };
}

function joined(sets: readonly (RealSet | undefined)[]): RealSet | undefined {
  const intervals: Interval[] = [];
  let subject: Expression | undefined;
  for (const set of sets) {
    if (!set) return undefined;
    intervals.push(...set.intervals);
    if (set.subject && subject && compareExpressions(set.subject, subject).outcome !== 'equal') return undefined;
    subject = set.subject ?? subject;
  }
  return subject ? { intervals, subject } : { intervals };
}

/** "x < 1 or x > 3" is a union; "x > 1 and x < 3" and "x \ne 1, x \ne 2" hold at once. */
function joinedConditions(items: readonly AnswerValue[]): RealSet | undefined {
  const sets = items.map(asRealSet);
  if (!items.every((item) => item.kind === 'relation' && item.operators[0] === '!='))
    return overlap(sets) ?? joined(sets);
  const holes = items.map((item) =>
    item.kind === 'relation' && item.sides[1].kind === 'expression' ? item.sides[1].expression : undefined,
  );
  if (holes.some((hole) => !hole)) return undefined;
  const set = withoutPoints(
    { intervals: [REALS] },
    points(holes.map((expression) => ({ kind: 'expression', expression: expression as Expression }))),
  );
  return set && sets[0]?.subject ? { ...set, subject: sets[0].subject } : set;
}

/** Two rays that leave nothing out together were meant to hold at once: "x > 1 and x < 3". */
function overlap(sets: readonly (RealSet | undefined)[]): RealSet | undefined {
  if (sets.length !== 2 || sets.some((set) => set?.intervals.length !== 1)) return undefined;
  const union = joined(sets);
  const [a, b] = (sets as RealSet[]).map(({ intervals }) => intervals[0]);
  const [up, down] = infinity(a.high) > 0 ? [a, b] : [b, a];
  if (!union || infinity(up.high) <= 0 || infinity(down.low) >= 0) return undefined;
  const [low, high] = [number(up.low), number(down.high)];
  if (low === undefined || high === undefined || !Number.isFinite(low) || !Number.isFinite(high) || low > high)
    return undefined;
  const interval = { low: up.low, lowClosed: up.lowClosed, high: down.high, highClosed: down.highClosed };
  return union.subject ? { intervals: [interval], subject: union.subject } : { intervals: [interval] };
}

function points(items: readonly AnswerValue[]): RealSet | undefined {
  const intervals: Interval[] = [];
  for (const item of items) {
    if (item.kind !== 'expression' || number(item.expression) === undefined) return undefined;
    intervals.push({ low: item.expression, high: item.expression, lowClosed: true, highClosed: true });
  }
  return { intervals };
}

/** Takes points out of intervals. */
function withoutPoints(from: RealSet | undefined, removed: RealSet | undefined): RealSet | undefined {
  if (!from || !removed) return undefined;
  let intervals = from.intervals;
  for (const { low: point, high } of removed.intervals) {
    const at = number(point);
    if (point !== high || at === undefined) return undefined;
    intervals = intervals.flatMap((interval) => {
      const [low, top] = [number(interval.low), number(interval.high)];
      if (low === undefined || top === undefined || at < low || at > top) return [interval];
      return [
        { ...interval, high: point, highClosed: false },
        { ...interval, low: point, lowClosed: false },
      ];
    });
  }
  return from.subject ? { intervals, subject: from.subject } : { intervals };
}

function condition(operators: readonly RelationOperator[], sides: readonly AnswerValue[]): RealSet | undefined {
  const expressions = sides.map((side) => (side.kind === 'expression' ? side.expression : undefined));
  if (expressions.some((e) => !e)) return undefined;
  const [left, middle, right] = expressions as Expression[];
  if (operators.length === 1) return oneSided(left, operators[0], middle);
  if (operators.length !== 2) return undefined;
  const [first, second] = operators;
  const isRising = /^<=?$/.test(first) && /^<=?$/.test(second);
  const isFalling = /^>=?$/.test(first) && /^>=?$/.test(second);
  if (!isRising && !isFalling) return undefined;
  const interval = isRising
    ? { low: left, high: right, lowClosed: first === '<=', highClosed: second === '<=' }
    : { low: right, high: left, lowClosed: second === '>=', highClosed: first === '>=' };
  return forSubject(middle, [interval]);
}

function oneSided(left: Expression, operator: RelationOperator, right: Expression): RealSet | undefined {
  if (operator === '!=')
    return isName(left)
      ? withSubject(left, withoutPoints({ intervals: [REALS] }, points([{ kind: 'expression', expression: right }])))
      : undefined;
  if (operator === '=' || operator === '~') return undefined;
  if (variables(right).size === 0 && variables(left).size > 0 && (isName(left) || isAbsolute(left)))
    return forSubject(left, [ray(operator, right)]);
  if (variables(left).size === 0 && variables(right).size > 0 && (isName(right) || isAbsolute(right)))
    return forSubject(right, [ray(TURNED[operator], left)]);
  return linear(left, operator, right);
}

const TURNED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

function ray(operator: '<' | '<=' | '>' | '>=', bound: Expression): Interval {
  const closed = operator.endsWith('=');
  return operator[0] === '<'
    ? { low: MINUS_INFINITY, high: bound, lowClosed: false, highClosed: closed }
    : { low: bound, high: INFINITY, lowClosed: closed, highClosed: false };
}

/** `2x + 1 < 5`, solved exactly. */
function linear(left: Expression, operator: '<' | '<=' | '>' | '>=', right: Expression): RealSet | undefined {
  const polynomial = asPolynomial(difference(left, right));
  const names = variables(difference(left, right));
  if (!polynomial || names.size !== 1 || polynomial.size > 2) return undefined;
  const [name] = names;
  const slope = polynomial.get(`${name}:1`);
  const offset = polynomial.get('') ?? { n: 0n, d: 1n };
  if (!slope || polynomial.size > (offset.n === 0n ? 1 : 2)) return undefined;
  const bound = multiply(negate(offset), rational(slope.d, slope.n) as Rational);
  if (!bound) return undefined;
  const turned = slope.n < 0n ? TURNED[operator] : operator;
  return { intervals: [ray(turned, { kind: 'number', value: bound })], subject: { kind: 'symbol', name } };
}

function isAbsolute(e: Expression): boolean {
  return e.kind === 'call' && e.name === 'abs';
}

/** An absolute value in an interval is its argument in that interval or in the mirrored one. */
function forSubject(subject: Expression, intervals: Interval[]): RealSet | undefined {
  if (subject.kind !== 'call' || subject.name !== 'abs') return withSubject(subject, { intervals });
  const zero: Expression = { kind: 'number', value: { n: 0n, d: 1n } };
  const mirrored = intervals.flatMap((interval) => {
    const low = number(interval.low);
    // An absolute value is never negative, so that a bound below 0 is no bound.
    const positive = low !== undefined && low < 0 ? { ...interval, low: zero, lowClosed: true } : interval;
    const { low: from, high, lowClosed, highClosed } = positive;
    return [positive, { low: negative(high), high: negative(from), lowClosed: highClosed, highClosed: lowClosed }];
  });
  return { intervals: mirrored, subject: subject.args[0] };
}

function withSubject(subject: Expression, set: RealSet | undefined): RealSet | undefined {
  return set && { ...set, subject };
}

/** Compares sets of numbers: intervals that touch are one. The variable counts only when both name one. */
export function compareRealSets(a: RealSet, b: RealSet): Comparison {
  if (a.subject && b.subject && compareExpressions(a.subject, b.subject).outcome === 'different')
    return different('conditions on different variables');
  const [x, y] = [merged(a.intervals), merged(b.intervals)];
  if (x.length !== y.length) return different('sets of numbers');
  return all(
    x.map((interval, i) => [interval, y[i]] as const),
    ([p, q]) => compareIntervals(p, q),
    'sets of numbers',
  );
}

function compareIntervals(a: Interval, b: Interval): Comparison {
  if (a.lowClosed !== b.lowClosed || a.highClosed !== b.highClosed) return different('open and closed ends');
  return all([[a.low, b.low] as const, [a.high, b.high] as const], ([x, y]) => compareExpressions(x, y), 'ends');
}

/** Sorted intervals, those that touch or overlap joined. Ends that are no numbers are left as they are. */
function merged(intervals: readonly Interval[]): Interval[] {
  const numbers = intervals.map((interval) => ({ interval, low: number(interval.low), high: number(interval.high) }));
  if (numbers.some(({ low, high }) => low === undefined || high === undefined)) return [...intervals];
  const sorted = numbers as { interval: Interval; low: number; high: number }[];
  sorted.sort((a, b) => a.low - b.low || a.high - b.high);
  const result: { interval: Interval; low: number; high: number }[] = [];
  for (const next of sorted) {
    const last = result.at(-1);
    const touches =
      last &&
      (next.low < last.high || (close(next.low, last.high) && (next.interval.lowClosed || last.interval.highClosed)));
    if (!last || !touches) {
      result.push({ ...next });
      continue;
    }
    if (close(next.low, last.low))
      last.interval = { ...last.interval, lowClosed: last.interval.lowClosed || next.interval.lowClosed };
    if (close(next.high, last.high))
      last.interval = { ...last.interval, highClosed: last.interval.highClosed || next.interval.highClosed };
    else if (next.high > last.high) {
      last.interval = { ...last.interval, high: next.interval.high, highClosed: next.interval.highClosed };
      last.high = next.high;
    }
  }
  return result.map(({ interval }) => interval);
}

function close(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
}

function number(e: Expression): number | undefined {
  const sign = infinity(e);
  if (sign !== 0) return sign * Number.POSITIVE_INFINITY;
  if (variables(e).size > 0) return undefined;
  const exact = exactValue(e);
  const value = exact ? toNumber(exact) : numericValue(e);
  return Number.isFinite(value) ? value : undefined;
}

const NOWHERE = {
  variable: () => ({ re: Number.NaN, im: 0, error: Number.NaN }),
  unknown: () => ({ re: Number.NaN, im: 0, error: Number.NaN }),
};

/** The value of a real constant; NaN for what has none, or one that is not real. */
function numericValue(e: Expression): number {
  try {
    const { re, im } = evaluate(e, NOWHERE);
    return im === 0 ? re : Number.NaN;
  } catch (error) {
    if (error instanceof NotNumericError || error instanceof LimitError) return Number.NaN;
    throw error;
  }
}
