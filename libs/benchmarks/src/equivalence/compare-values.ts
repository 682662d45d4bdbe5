import type { AnswerValue } from './answer-value.js';
import { compareExpressions } from './compare-expressions.js';
import { compareRelations, equationValues } from './compare-relations.js';
import { all, any, type Comparison, different, equal, unclear } from './comparison.js';
import { quotient } from './expression.js';
import { asMatrix } from './matrix.js';
import { byName, isNamed, nameOf, withoutName } from './named.js';
import { asRealSet, compareRealSets } from './real-set.js';

/**
 * Compares two answers as mathematics. Sets and lists do not know an order, tuples and intervals do, and intervals know
 * their ends. `x = 5` equals `5`, and `p = 3, q = 2` equals `3, 2` and `(3, 2)`; other relations count as wholes. A
 * condition on one variable equals the set of numbers that it describes.
 */
export function compareValues(a: AnswerValue, b: AnswerValue): Comparison {
  if (a.kind === 'expression' && b.kind === 'expression') return compareExpressions(a.expression, b.expression);
  if (a.kind === 'relation' || b.kind === 'relation') return compareWithRelation(a, b);
  if (a.kind === 'list' || b.kind === 'list') return compareLists(a, b);
  if (a.kind === 'set' && b.kind === 'set') return compareUnordered(a.items, b.items, true, 'sets');
  if (a.kind === 'tuple' && b.kind === 'tuple') return compareTuples(a, b);
  if (a.kind === 'ratio' || b.kind === 'ratio') return compareRatios(a, b);
  const vector = compareVectors(a, b);
  if (vector) return vector;
  const [setA, setB] = [asRealSet(a), asRealSet(b)];
  if (setA && setB) return compareRealSets(setA, setB);
  if (a.kind === 'set' && a.items.length === 1) return compareValues(a.items[0], b);
  if (b.kind === 'set' && b.items.length === 1) return compareValues(a, b.items[0]);
  if (a.kind === 'union' && b.kind === 'union') return compareUnordered(a.parts, b.parts, true, 'unions');
  return different(`${a.kind} and ${b.kind}`);
}

function compareWithRelation(a: AnswerValue, b: AnswerValue): Comparison {
  if (a.kind === 'relation' && b.kind === 'relation') {
    return any([() => compareRelations(a, b, compareValues), () => realSets(a, b)]);
  }
  const [relation, other] = a.kind === 'relation' ? [a, b] : [b, a];
  if (relation.kind !== 'relation') return different('no relation');
  const values = equationValues(relation);
  if (values.length > 0) {
    const compare = (value: AnswerValue) =>
      a.kind === 'relation' ? compareValues(value, other) : compareValues(other, value);
    return any(values.map((value) => () => compare(value)));
  }
  return realSets(a, b);
}

function realSets(a: AnswerValue, b: AnswerValue): Comparison {
  const [setA, setB] = [asRealSet(a), asRealSet(b)];
  return setA && setB ? compareRealSets(setA, setB) : different(`${a.kind} and ${b.kind}`);
}

/** A list against anything: values with different names keep their order, all others are a set. */
function compareLists(a: AnswerValue, b: AnswerValue): Comparison {
  const [x, y] = [grouped(items(a)), grouped(items(b))];
  if (!x || !y) {
    const [list, other] = a.kind === 'list' ? [a, b] : [b, a];
    // "x < 1 or x > 3" against a union, {-1, 1} against (-1) \cup ...
    const [setA, setB] = [asRealSet(list), asRealSet(other)];
    if (setA && setB) return compareRealSets(setA, setB);
    return list.kind === 'list' && list.items.length === 1
      ? compareValues(list.items[0], other)
      : different(`${a.kind} and ${b.kind}`);
  }
  const isTuple = a.kind === 'tuple' || b.kind === 'tuple';
  const named = [x, y].map(
    (side) => side.every(isNamed) && new Set(side.map(nameOf)).size === side.length && side.length > 1,
  );
  if (named[0] && named[1]) return compareOrdered(byName(x), byName(y), 'values by name');
  if (named[0] || named[1] || isTuple) {
    const [left, right] = [x.map(withoutName), y.map(withoutName)];
    const ordered = compareOrdered(left, right, 'values in order');
    // Roots that are only numbered, x_1 and x_2, have no order.
    const bases = new Set([...x, ...y].filter(isNamed).map((item) => nameOf(item).split('_')[0]));
    return ordered.outcome === 'equal' || isTuple || bases.size > 1
      ? ordered
      : compareUnordered(left, right, false, 'lists');
  }
  const isSet = a.kind === 'set' || b.kind === 'set';
  const found = compareUnordered(x.map(withoutName), y.map(withoutName), isSet, isSet ? 'sets' : 'lists');
  if (found.outcome === 'equal') return found;
  const [setA, setB] = [asRealSet(a), asRealSet(b)];
  return setA && setB && (a.kind !== 'list' || b.kind !== 'list' || x.length !== y.length)
    ? compareRealSets(setA, setB)
    : found;
}

/** The values side by side that an answer is; a tuple only in round brackets. */
function items(value: AnswerValue): AnswerValue[] | undefined {
  if (value.kind === 'list' || value.kind === 'set') return value.items;
  if (value.kind === 'tuple' && value.open !== '[' && value.close !== ']') return value.items;
  if (value.kind === 'expression') return [value];
  return undefined;
}

/** `p = 5, q = 2, p = 7, q = 2` as two points. */
function grouped(values: AnswerValue[] | undefined): AnswerValue[] | undefined {
  if (!values?.every(isNamed)) return values;
  const names = values.map(nameOf);
  const period = names.indexOf(names[0], 1);
  if (period < 2 || names.length % period !== 0 || names.some((name, i) => name !== names[i % period])) return values;
  return Array.from({ length: names.length / period }, (_, i) => ({
    kind: 'tuple',
    open: '(',
    close: ')',
    items: values.slice(i * period, (i + 1) * period).map(withoutName),
  }));
}

function compareTuples(
  a: Extract<AnswerValue, { kind: 'tuple' }>,
  b: Extract<AnswerValue, { kind: 'tuple' }>,
): Comparison {
  const round = (bracket: string) => (bracket === '<' ? '(' : bracket === '>' ? ')' : bracket);
  if (round(a.open) !== round(b.open) || round(a.close) !== round(b.close)) return different('brackets');
  return compareOrdered(a.items, b.items, a.open === '(' && a.close === ')' ? 'tuples' : 'intervals');
}

function compareOrdered(a: readonly AnswerValue[], b: readonly AnswerValue[], rule: string): Comparison {
  if (a.length !== b.length) return different(`${rule}: ${a.length} and ${b.length} elements`);
  return all(
    a.map((value, i) => [value, b[i]] as const),
    ([x, y]) => compareValues(x, y),
    rule,
  );
}

/** Each value of one side has a partner on the other. As sets, repetitions do not count. */
function compareUnordered(
  a: readonly AnswerValue[],
  b: readonly AnswerValue[],
  asSets: boolean,
  rule: string,
): Comparison {
  if (!asSets && a.length !== b.length) return different(`${rule}: ${a.length} and ${b.length} elements`);
  const free = b.map(() => true);
  let open: Comparison | undefined;
  let last = rule;
  for (const value of a) {
    let partner = -1;
    let doubt: Comparison | undefined;
    for (let j = 0; j < b.length && partner < 0; j++) {
      if (!asSets && !free[j]) continue;
      const found = compareValues(value, b[j]);
      if (found.outcome === 'equal') {
        partner = j;
        last = `${rule}: ${found.rule}`;
      } else if (found.outcome === 'unclear') doubt ??= found;
    }
    if (partner >= 0) free[partner] = false;
    else if (doubt) open ??= doubt;
    else return different(`${rule}: an element is missing`);
  }
  if (asSets) {
    for (const [j, isFree] of free.entries()) {
      if (!isFree) continue;
      const partners = a.map((value) => compareValues(value, b[j]));
      if (partners.some(({ outcome }) => outcome === 'equal')) continue;
      const doubt = partners.find(({ outcome }) => outcome === 'unclear');
      if (!doubt) return different(`${rule}: an element too many`);
      open ??= doubt;
    }
  }
  return open ? unclear(`${rule}: ${open.rule}`) : equal(last);
}

function compareRatios(a: AnswerValue, b: AnswerValue): Comparison {
  if (a.kind === 'ratio' && b.kind === 'ratio') {
    if (a.parts.length !== b.parts.length) return different('ratios of different length');
    return all(
      a.parts.map((part, i) => [part, b.parts[i]] as const),
      ([x, y]) => compareExpressions(x, y),
      'ratios',
    );
  }
  const [ratio, other] = a.kind === 'ratio' ? [a, b] : [b, a];
  if (ratio.kind !== 'ratio' || other.kind !== 'expression' || ratio.parts.length !== 2)
    return different(`${a.kind} and ${b.kind}`);
  const value = quotient(ratio.parts[0], ratio.parts[1]);
  return a.kind === 'ratio' ? compareExpressions(value, other.expression) : compareExpressions(other.expression, value);
}

/** A row or column against a tuple of its entries. */
function compareVectors(a: AnswerValue, b: AnswerValue): Comparison | undefined {
  const entries = (value: AnswerValue): AnswerValue[] | undefined => {
    if (value.kind === 'tuple' && value.open !== '[' && value.close !== ']') return value.items;
    const matrix = value.kind === 'expression' ? asMatrix(value.expression) : undefined;
    if (!matrix || (matrix.length > 1 && matrix[0].length > 1)) return undefined;
    return matrix.flat().map((expression) => ({ kind: 'expression', expression }));
  };
  const [x, y] = [entries(a), entries(b)];
  return x && y && a.kind !== b.kind ? compareOrdered(x, y, 'vectors') : undefined;
}
