import type { AnswerValue } from './answer-value.js';
import { type Expression, MINUS_ONE } from './expression.js';
import { printExpression } from './print.js';

/** Whether an expression only names something: `x`, `x_1`, `f(x)`, `AB`. */
export function isName(e: Expression): boolean {
  if (e.kind === 'symbol') return true;
  if (e.kind === 'call') return e.name.startsWith('?') || (e.name === 'abs' && isName(e.args[0]));
  // dy/dx, and lengths as AB/CD.
  if (e.kind === 'power') return isName(e.base) && e.exponent === MINUS_ONE;
  return e.kind === 'product' && e.factors.every(isName);
}

type Relation = Extract<AnswerValue, { kind: 'relation' }>;

/** Whether an answer is a value with a name: `x = 5`. */
export function isNamed(value: AnswerValue): value is Relation {
  return (
    value.kind === 'relation' &&
    value.operators.every((operator) => operator === '=') &&
    value.sides[0].kind === 'expression' &&
    isName(value.sides[0].expression)
  );
}

/** The name of a value with a name. */
export function nameOf(value: AnswerValue): string {
  return isNamed(value) && value.sides[0].kind === 'expression' ? printExpression(value.sides[0].expression) : '';
}

/** A value without its name. */
export function withoutName(value: AnswerValue): AnswerValue {
  return isNamed(value) ? value.sides[value.sides.length - 1] : value;
}

/** Values sorted by their names, which stay with them. */
export function byName(values: readonly AnswerValue[]): AnswerValue[] {
  return [...values].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
