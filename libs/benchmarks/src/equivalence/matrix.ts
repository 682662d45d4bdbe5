import { type Expression, integer, negative } from './expression.js';
import { LIMITS, LimitError } from './limits.js';
import { ParseError } from './scanner.js';

/**
 * The matrix that an expression is, with sums, products and multiples of matrices worked out; undefined when there is
 * no matrix in it, or shapes do not fit.
 */
export function asMatrix(e: Expression): Expression[][] | undefined {
  if (e.kind === 'matrix') return e.rows;
  if (e.kind === 'sum') {
    const terms = e.terms.map(asMatrix);
    return terms.reduce((a, b) =>
      a && b && a.length === b.length && a[0].length === b[0].length ? addMatrices(a, b) : undefined,
    );
  }
  if (e.kind !== 'product') return undefined;
  let result: Expression[][] | undefined;
  const scalars: Expression[] = [];
  for (const factor of e.factors) {
    const matrix = asMatrix(factor);
    if (!matrix) scalars.push(factor);
    else if (!result) result = matrix;
    else if (result[0].length === matrix.length) result = multiplyMatrices(result, matrix);
    else return undefined;
  }
  if (!result || scalars.length === 0) return result;
  return result.map((row) => row.map((cell) => ({ kind: 'product', factors: [...scalars, cell] })));
}

function addMatrices(a: Expression[][], b: Expression[][]): Expression[][] {
  return a.map((row, i) => row.map((cell, j) => ({ kind: 'sum', terms: [cell, b[i][j]] })));
}

function multiplyMatrices(a: Expression[][], b: Expression[][]): Expression[][] {
  if (a.length * b.length * b[0].length > LIMITS.elements * 4) throw new LimitError('elements');
  return a.map((row) =>
    b[0].map((_cell, j) => ({
      kind: 'sum',
      terms: row.length === 0 ? [integer(0)] : row.map((cell, k) => ({ kind: 'product', factors: [cell, b[k][j]] })),
    })),
  );
}

/** The determinant of a square matrix by Laplace expansion along its first row. */
export function determinant(rows: Expression[][]): Expression {
  const n = rows.length;
  if (n > 5) throw new LimitError('elements');
  if (rows[0].length !== n) throw new ParseError('the determinant of a matrix that is not square');
  if (n === 1) return rows[0][0];
  const terms = rows[0].map((cell, j): Expression => {
    const minor = determinant(rows.slice(1).map((row) => row.filter((_cell, k) => k !== j)));
    const product: Expression = { kind: 'product', factors: [cell, minor] };
    return j % 2 === 0 ? product : negative(product);
  });
  return { kind: 'sum', terms };
}
