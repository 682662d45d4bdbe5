import type { Expression } from './expression.js';

export type RelationOperator = '=' | '<' | '<=' | '>' | '>=' | '!=' | '~';

/** An answer as mathematics. */
export type AnswerValue =
  | { kind: 'expression'; expression: Expression }
  /** Answers side by side: `2, 3`. Their order does not matter, unless they are the values of different names. */
  | { kind: 'list'; items: AnswerValue[] }
  | { kind: 'set'; items: AnswerValue[] }
  /** `(1, 2)`: a point, or an interval. Brackets as written; `<` for angle brackets. */
  | { kind: 'tuple'; open: Bracket; close: Bracket; items: AnswerValue[] }
  | { kind: 'union'; parts: AnswerValue[] }
  | { kind: 'without'; from: AnswerValue; removed: AnswerValue }
  | { kind: 'reals' }
  | { kind: 'ratio'; parts: Expression[] }
  /** `a < b <= c`: one operator less than there are sides. */
  | { kind: 'relation'; operators: RelationOperator[]; sides: AnswerValue[] };

export type Bracket = '(' | ')' | '[' | ']' | '<' | '>';
