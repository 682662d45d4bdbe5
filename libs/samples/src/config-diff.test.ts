import { expect, it } from 'vitest';
import { configDifferences } from './config-diff.js';

it('names every value that differs, by its path', () => {
  const was = { steps: 240, method: { name: 'grpo', mask: 'none' }, suites: ['a', 'b'] };
  const is = { steps: 100, method: { name: 'grpo', tau: 0.5 }, suites: ['a', 'c'] };
  expect(configDifferences(was, is)).toEqual([
    'method.mask: not given, was "none"',
    'method.tau: 0.5, was not given',
    'steps: 100, was 240',
    'suites.1: "c", was "b"',
  ]);
  expect(configDifferences(was, { ...was })).toEqual([]);
});
