import { expect, it } from 'vitest';
import { cachedEquality, clusterAnswers } from './cluster-answers.js';

it('puts equal answers into one class, transitively, and no answer into none', () => {
  // a = b and b = c, but the comparison denies a = c.
  const equal = (x: string, y: string) => ['ab', 'bc'].includes([x, y].sort().join(''));
  expect([...clusterAnswers(['a', null, 'c', 'd', 'b', 'a'], equal)]).toEqual([0, -1, 0, 1, 0, 0]);
  expect([...clusterAnswers([], equal)]).toEqual([]);
  expect([...clusterAnswers([null, null], equal)]).toEqual([-1, -1]);
});

it('asks once for each pair of texts, in either order, and never for equal texts', () => {
  let asked = 0;
  const equal = cachedEquality(() => {
    asked++;
    return false;
  });
  clusterAnswers(['0.5', '1/2', '0.5', '1/2', '0.5'], equal);
  equal('1/2', '0.5');
  expect(asked).toBe(1);
});
