import type { AnswerValue, RelationOperator } from './answer-value.js';
import { all, any, type Comparison, decide, different } from './comparison.js';
import { difference, type Expression, mapChildren, variables } from './expression.js';
import { isName, nameOf } from './named.js';
import { proportion } from './points.js';

type Relation = Extract<AnswerValue, { kind: 'relation' }>;
type Compare = (a: AnswerValue, b: AnswerValue) => Comparison;

/**
 * The values that an equation gives to a name: the last side of `x = 2 + 3 = 5`, and both sides of an approximation.
 * Empty when the relation is more than a value: `x + y = 5`, `x < 5`.
 */
export function equationValues(relation: Relation): AnswerValue[] {
  const { operators, sides } = relation;
  if (!operators.every((operator) => operator === '=' || operator === '~') || !givesValue(sides[0])) return [];
  const approximation = operators.indexOf('~');
  const last = sides[sides.length - 1];
  if (approximation < 0) return [last];
  // `5/3 \approx 1.67`: the exact value first.
  return [sides[approximation], last].filter((side) => side !== sides[0] || !isNameValue(side));
}

function givesValue(side: AnswerValue): boolean {
  if (isNameValue(side)) return true;
  if (side.kind === 'expression') return variables(side.expression).size === 0;
  return (side.kind === 'tuple' || side.kind === 'list' || side.kind === 'set') && side.items.every(givesValue);
}

function isNameValue(side: AnswerValue): boolean {
  if (side.kind === 'expression') return isName(side.expression);
  if (side.kind === 'tuple' || side.kind === 'list' || side.kind === 'set') return side.items.every(isNameValue);
  return side.kind === 'ratio' && side.parts.every(isName);
}

/**
 * Compares relations as wholes: values of the same name, or both sides multiplied by the same constant, which turns an
 * inequality round when it is negative. The variable of a function's definition may have any name: `f(x) = x` is
 * `f(y) = y`.
 */
export function compareRelations(a: Relation, b: Relation, compare: Compare): Comparison {
  const renamed = withArgumentsOf(a, b);
  const [valuesA, valuesB] = [equationValues(a), equationValues(renamed)];
  if (valuesA.length > 0 && valuesB.length > 0) {
    const names = compare(a.sides[0], renamed.sides[0]);
    if (
      names.outcome === 'equal' ||
      sameName(nameOf(a), nameOf(renamed)) ||
      !isNameValue(a.sides[0]) ||
      !isNameValue(renamed.sides[0])
    ) {
      return any(valuesA.flatMap((x) => valuesB.map((y) => () => compare(x, y))));
    }
  }
  if (a.sides.length !== renamed.sides.length) return different('relations of different length');
  if (a.sides.length > 2 || [...a.sides, ...renamed.sides].some((side) => side.kind !== 'expression')) {
    return compareSides(a, renamed, compare);
  }
  return proportional(a, renamed);
}

function sameName(a: string, b: string): boolean {
  return a !== '' && a.toLowerCase() === b.toLowerCase();
}

function compareSides(a: Relation, b: Relation, compare: Compare): Comparison {
  const turned = a.operators.every((operator, i) => operator === TURNED[b.operators[b.operators.length - 1 - i]]);
  const same = a.operators.every((operator, i) => operator === b.operators[i]);
  const sides = turned && !same ? [...b.sides].reverse() : b.sides;
  if (!same && !turned) return different('kinds of relation');
  return all(
    a.sides.map((side, i) => [side, sides[i]] as const),
    ([x, y]) => compare(x, y),
    'sides of relations',
  );
}

const TURNED: Readonly<Record<RelationOperator, RelationOperator>> = {
  '=': '=',
  '!=': '!=',
  '~': '~',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

function proportional(a: Relation, b: Relation): Comparison {
  const [operatorA, operatorB] = [a.operators[0], b.operators[0]];
  const same = operatorA === operatorB;
  if (!same && operatorA !== TURNED[operatorB]) return different('kinds of relation');
  const factor = proportion(sidesDifference(a), sidesDifference(b));
  if (factor === undefined) return different('relations that are not proportional');
  const isSymmetric = operatorA === TURNED[operatorA];
  return decide(isSymmetric || (same ? factor > 0 : factor < 0), 'relations by proportion');
}

function sidesDifference({ sides: [left, right] }: Relation): Expression {
  if (left.kind !== 'expression' || right.kind !== 'expression') throw new TypeError('sides that are no expressions');
  return difference(left.expression, right.expression);
}

/** The second relation with the arguments of its function named as in the first. */
function withArgumentsOf(a: Relation, b: Relation): Relation {
  const [f, g] = [definedFunction(a), definedFunction(b)];
  if (!f || !g || f.name !== g.name || f.args.length !== g.args.length) return b;
  const names = new Map(g.args.map((arg, i) => [(arg as { name: string }).name, f.args[i]]));
  const rename = (e: Expression): Expression =>
    e.kind === 'symbol' ? (names.get(e.name) ?? e) : mapChildren(e, rename);
  return {
    ...b,
    sides: b.sides.map((side) =>
      side.kind === 'expression' ? { ...side, expression: rename(side.expression) } : side,
    ),
  };
}

function definedFunction({ sides: [left] }: Relation): { name: string; args: Expression[] } | undefined {
  const e = left.kind === 'expression' ? left.expression : undefined;
  return e?.kind === 'call' && e.name.startsWith('?') && e.args.every((arg) => arg.kind === 'symbol') ? e : undefined;
}
