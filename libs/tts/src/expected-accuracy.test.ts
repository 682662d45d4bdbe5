import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawnAccuracy, expectedAccuracy, type ProblemDraws } from './draws.js';
import { bestOfExact, majorityExact, oracleAccuracy } from './exact.js';
import { expectationOf } from './expected-accuracy.js';
import { type Method, methodsOf } from './methods.js';
import { bestOfVotes, majorityVotes } from './votes.js';

const METHODS = new Map(methodsOf({ window: 3, bordaPower: 1, warmup: 2 }).map((method) => [method.name, method]));
const method = (name: string) => METHODS.get(name) as Method;

/** A small generator of uniform numbers. */
function uniformOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** All subsets of n of m. */
function subsets(m: number, n: number): number[][] {
  if (n === 0) return [[]];
  if (n > m) return [];
  return [...subsets(m - 1, n), ...subsets(m - 1, n - 1).map((rest) => [...rest, m - 1])];
}

const problems = fc
  .array(
    fc.record({
      answer: fc.integer({ min: -1, max: 3 }),
      confidence: fc.integer({ min: 0, max: 3 }),
      lpm: fc.double({ min: -2, max: 0, noNaN: true }),
    }),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map(
    (items): ProblemDraws => ({
      answers: Int32Array.from(items, ({ answer }) => answer),
      gold: 1,
      confidence: Float64Array.from(items, ({ confidence }) => confidence),
      lpm: Float64Array.from(items, ({ lpm }) => lpm),
      sequenceLogprobs: Float64Array.from(items, ({ lpm }) => 10 * lpm),
      paths: Int32Array.from(items.keys()),
      tokenLogprobs: items.map(({ lpm }, i) => Float64Array.from({ length: 2 + i }, (_, t) => lpm - 0.1 * t)),
      selfCertainty: Float64Array.from(items, ({ confidence }) => 3 - confidence),
      tokens: Float64Array.from(items, (_, i) => 2 + i),
      greedy: Uint8Array.from(items, (_, i) => (i === 0 ? 1 : 0)),
    }),
  );

describe('the formulas', () => {
  it('count what going through all subsets finds', () => {
    fc.assert(
      fc.property(problems, fc.integer({ min: 1, max: 8 }), (draws, wanted) => {
        const n = Math.min(wanted, draws.answers.length);
        const all = subsets(draws.answers.length, n);
        const mean = (value: (subset: number[]) => number) =>
          all.reduce((sum, subset) => sum + value(subset), 0) / all.length;
        expect(majorityExact(draws, n)).toBeCloseTo(
          mean((s) => expectedAccuracy(majorityVotes(draws, s), 1)),
          9,
        );
        expect(bestOfExact(draws, n)).toBeCloseTo(
          mean((s) => drawnAccuracy(bestOfVotes(draws, s), 1)),
          9,
        );
        expect(oracleAccuracy(draws, n)).toBeCloseTo(
          mean((s) => (s.some((i) => draws.answers[i] === 1) ? 1 : 0)),
          9,
        );
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  it('hold for hundreds of draws', () => {
    const answers = Int32Array.from({ length: 512 }, (_, i) => (i % 5 < 2 ? 1 : i % 5 === 2 ? 0 : 2 + (i % 7)));
    const accuracy = majorityExact({ answers, gold: 1 }, 64);
    expect(accuracy).toBeGreaterThan(0.9);
    expect(accuracy).toBeLessThanOrEqual(1);
  });
});

describe('expectationOf', () => {
  const options = () => ({ subsets: 50, random: uniformOf(1) });

  it('is the definition when all draws are used, for every method that knows no order', () => {
    fc.assert(
      fc.property(problems, (draws) => {
        const total = draws.answers.length;
        const all = Array.from({ length: total }, (_, i) => i);
        for (const each of METHODS.values()) {
          if (each.ordered || each.name === 'single') continue;
          const { accuracy, error } = expectationOf(each, draws, total, options());
          const { votes, isDrawn } = each.decide(draws, all);
          expect(accuracy, each.name).toBeCloseTo((isDrawn ? drawnAccuracy : expectedAccuracy)(votes, 1), 9);
          expect(error).toBe(0);
        }
        expect(expectationOf(method('single'), draws, total, options()).accuracy).toBeCloseTo(
          draws.answers.filter((answer) => answer === 1).length / total,
          12,
        );
      }),
      { seed: 5, numRuns: 60 },
    );
  });

  it('averages over seeded subsets otherwise, within its standard error of the truth', () => {
    const draws: ProblemDraws = {
      answers: Int32Array.of(1, 1, 0, 2, 1, 0, -1, 2),
      gold: 1,
      lpm: Float64Array.of(-1, -2, -0.5, -1, -1.5, -0.2, -1, -2),
    };
    const all = subsets(8, 3);
    const weighted = method('weighted-lpm');
    const truth = all.reduce((sum, s) => sum + expectedAccuracy(weighted.decide(draws, s).votes, 1), 0) / all.length;
    const found = expectationOf(weighted, draws, 3, { subsets: 4000, random: uniformOf(7) });
    expect(Math.abs(found.accuracy - truth)).toBeLessThan(4 * found.error);
    expect(found).toEqual(expectationOf(weighted, draws, 3, { subsets: 4000, random: uniformOf(7) }));
  });

  it('refuses more draws than there are', () => {
    expect(() => expectationOf(method('majority'), { answers: Int32Array.of(1), gold: 1 }, 2, options())).toThrow(
      '1 draws',
    );
  });
});
