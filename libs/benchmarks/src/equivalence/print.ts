import type { AnswerValue } from './answer-value.js';
import type { Expression } from './expression.js';
import { printRational } from './rational.js';

/** An expression as people type it, for `--explain`. Long ones are cut. */
export function printExpression(e: Expression): string {
  switch (e.kind) {
    case 'number':
      return short(printRational(e.value)) + (e.places === undefined ? '' : ` (decimal, ${e.places} places)`);
    case 'symbol':
      return e.name;
    case 'constant':
      return e.name;
    case 'sum':
      return `(${e.terms.map(printExpression).join(' + ')})`;
    case 'product':
      return e.factors.map(printExpression).join('*');
    case 'power':
      return `${printExpression(e.base)}^(${printExpression(e.exponent)})`;
    case 'call':
      return `${e.name.replace(/^\?/, '')}(${e.args.map(printExpression).join(', ')})`;
    case 'series':
      return `${e.name}(${printExpression(e.body)}, ${e.index} = ${printExpression(e.from)}..${printExpression(e.to)})`;
    case 'matrix':
      return `[${e.rows.map((row) => `[${row.map(printExpression).join(', ')}]`).join(', ')}]`;
    case 'plus-minus':
      return `${e.sign === 1 ? '+-' : '-+'}${printExpression(e.arg)}`;
    case 'percent':
      return `${printExpression(e.arg)}%`;
    case 'degree':
      return `${printExpression(e.arg)} degrees`;
  }
}

/** An answer as people type it, for `--explain`. */
export function printAnswer(value: AnswerValue): string {
  switch (value.kind) {
    case 'expression':
      return printExpression(value.expression);
    case 'list':
      return value.items.map(printAnswer).join(', ');
    case 'set':
      return `{${value.items.map(printAnswer).join(', ')}}`;
    case 'tuple':
      return value.open + value.items.map(printAnswer).join(', ') + value.close;
    case 'union':
      return value.parts.map(printAnswer).join(' union ');
    case 'without':
      return `${printAnswer(value.from)} without ${printAnswer(value.removed)}`;
    case 'reals':
      return 'R';
    case 'ratio':
      return value.parts.map(printExpression).join(':');
    case 'relation':
      return value.sides
        .map((side, i) => printAnswer(side) + (value.operators[i] ? ` ${value.operators[i]} ` : ''))
        .join('');
  }
}

function short(digits: string): string {
  return digits.length > 60 ? `${digits.slice(0, 40)}..(${digits.length} characters)` : digits;
}
