import { stream } from '@capo/samples';
import { describe, expect, it } from 'vitest';
import {
  applyOperation,
  type Chain,
  decodeToy,
  encodeToy,
  intermediateResults,
  solutionLength,
  solutionTokens,
  TOY_VOCABULARY,
} from './chain-arithmetic.js';
import { Misconceptions } from './misconceptions.js';
import { heldOutEntries, makeToyBenchmark, pathEntries, TOY_SUITES } from './toy-benchmark.js';
import { toyGrader } from './toy-grader.js';

const options = { trainingPool: 200, validation: 20, suite: 30, heldOutShare: 0.25 };

const chain: Chain = {
  start: 7,
  steps: [
    { operation: '*', operand: 5 },
    { operation: '-', operand: 9 },
  ],
};

describe('chain arithmetic', () => {
  it('is modulo 23, also below zero', () => {
    expect(applyOperation('+', 14, 5)).toBe(2);
    expect(applyOperation('-', 3, 5)).toBe(15);
    expect(applyOperation('*', 7, 5)).toBe(1);
    // 7 * 5 = 35 = 1; 1 - 9 = -8 = 9.
    expect(intermediateResults(chain)).toEqual([1, 9]);
  });

  it('writes text that is tokens and tokens that are text', () => {
    const tokens = solutionTokens(chain, [1, 9]);
    expect(decodeToy(tokens)).toBe('7 * 5 = 1 - 9 = 9 #### 9');
    expect(tokens.length).toBe(solutionLength(2));
    expect([...encodeToy('7 * 5 = 1 - 9 = 9 #### 9 <eos>')]).toEqual([...tokens]);
    expect(new Set(TOY_VOCABULARY).size).toBe(TOY_VOCABULARY.length);
    expect(() => encodeToy('7 / 5')).toThrow('"/"');
  });
});

describe('misconceptions', () => {
  it('have one wrong result per entry, found as often as stated', () => {
    const world = new Misconceptions(1);
    const probability = world.errorProbability('+', 3, 4);
    const results = Array.from({ length: 4000 }, (_, i) => world.recall('+', 3, 4, stream(1, 'recall', i)));
    const wrong = results.filter((result) => result !== 7);
    expect(new Set(wrong).size).toBeLessThanOrEqual(1);
    // Four standard errors of a share of 4000.
    expect(Math.abs(wrong.length / 4000 - probability)).toBeLessThan(4 * Math.sqrt(0.25 / 4000));
  });

  it('have the mean error of Beta(0.6, 1.2), one third', () => {
    const world = new Misconceptions(2);
    let sum = 0;
    for (const operation of ['+', '-', '*'] as const) {
      for (let a = 0; a < 17; a++) for (let b = 0; b < 17; b++) sum += world.errorProbability(operation, a, b);
    }
    // The standard deviation of the distribution is 0.28, so four standard errors of 867 entries are 0.038.
    expect(Math.abs(sum / 867 - 1 / 3)).toBeLessThan(0.038);
  });

  it('carries an error on to the steps after it', () => {
    const world = new Misconceptions(3);
    for (let i = 0; i < 50; i++) {
      const [first, second] = world.recallChain(chain, stream(3, 'chain', i));
      const right = applyOperation('-', first, 9);
      if (second !== right) expect(world.errorProbability('-', first, 9)).toBeGreaterThan(0);
    }
  });
});

describe('the toy benchmark', () => {
  const benchmark = makeToyBenchmark(5, options);

  it('is a function of its seed', () => {
    expect(makeToyBenchmark(5, options)).toEqual(benchmark);
    expect(makeToyBenchmark(6, options)).not.toEqual(benchmark);
  });

  it('has the sizes asked for and no prompt twice', () => {
    const sets = [benchmark.trainingPool, benchmark.validation, ...TOY_SUITES.map((suite) => benchmark.suites[suite])];
    expect(sets.map((problems) => problems.length)).toEqual([200, 20, 30, 30, 30, 30, 30, 30]);
    const prompts = sets.flat().map(({ prompt }) => prompt);
    expect(new Set(prompts).size).toBe(prompts.length);
  });

  it('keeps held-out table entries out of the training pool, and the unseen suite within them', () => {
    const heldOut = heldOutEntries(5, options.heldOutShare);
    // A quarter of 3 * 17 * 17.
    expect(heldOut.size).toBe(217);
    for (const { chain: item } of benchmark.trainingPool) {
      expect(pathEntries(item).some((entry) => heldOut.has(entry))).toBe(false);
    }
    for (const { chain: item } of benchmark.suites['chain3-unseen']) {
      expect(pathEntries(item).every((entry) => heldOut.has(entry))).toBe(true);
    }
  });

  it('has suites that are what their names say', () => {
    const stepsOf = (suite: keyof typeof benchmark.suites) =>
      benchmark.suites[suite].map((problem) => problem.chain.steps);
    expect(stepsOf('chain2').every((steps) => steps.length === 2)).toBe(true);
    expect(stepsOf('chain4').every((steps) => steps.length === 4)).toBe(true);
    expect(
      stepsOf('chain3-multiply')
        .flat()
        .every(({ operation }) => operation === '*'),
    ).toBe(true);
    expect(
      stepsOf('chain3-add-sub')
        .flat()
        .every(({ operation }) => operation !== '*'),
    ).toBe(true);
  });

  it('refuses impossible sizes', () => {
    expect(() => makeToyBenchmark(1, { ...options, trainingPool: 0 })).toThrow('trainingPool has 0 problems');
    expect(() => makeToyBenchmark(1, { ...options, heldOutShare: 1 })).toThrow('heldOutShare is 1');
    expect(() => makeToyBenchmark(1, { ...options, trainingPool: 1, suite: 0.5 })).toThrow('0.5');
  });
});

describe('the toy grader', () => {
  it('judges the answer after the marker', async () => {
    const gold = '9';
    const responses = ['7 * 5 = 1 - 9 = 9 #### 9', '#### 3', '7 * 5 = 1', '', '#### 9 #### 3'];
    const grades = await toyGrader().grade(responses.map((response) => ({ response, gold })));
    expect(grades.map(({ verdict }) => verdict)).toEqual(['correct', 'wrong', 'no-answer', 'no-answer', 'wrong']);
    expect(grades.map(({ answer }) => answer)).toEqual(['9', '3', null, null, '3']);
  });
});
