import { describe, expect, it } from 'vitest';
import { choose, expectedAccuracy, type ProblemDraws, voteShare } from './draws.js';
import {
  bestOfVotes,
  bordaVotes,
  lengthNormalisedVotes,
  majorityVotes,
  perplexityConsistencyVotes,
  sequenceProbabilityVotes,
} from './votes.js';

/** Five draws: answers 0, 0, 1, 1, none; the second response of answer 1 repeats the first. */
const draws: ProblemDraws = {
  answers: Int32Array.of(0, 0, 1, 1, -1),
  gold: 1,
  sequenceLogprobs: Float64Array.of(-3, -4, -1, -1, 0),
  lpm: Float64Array.of(-0.3, -0.4, -0.5, -0.5, 0),
  paths: Int32Array.of(0, 1, 2, 2, 3),
  confidence: Float64Array.of(0.9, 0.2, 0.5, 0.5, 1),
};
const at = (votes: Map<number, number>) => [votes.get(0) ?? 0, votes.get(1) ?? 0];

describe('votes', () => {
  it('count one for each draw with an answer', () => {
    expect(at(majorityVotes(draws))).toEqual([2, 2]);
    expect(expectedAccuracy(majorityVotes(draws), 1)).toBe(0.5);
    expect(majorityVotes({ answers: Int32Array.of(-1), gold: 0 }).size).toBe(0);
    expect(expectedAccuracy(new Map(), 0)).toBe(0);
  });

  it('weigh by exp(lpm)', () => {
    const [zero, one] = at(lengthNormalisedVotes(draws));
    expect(zero).toBeCloseTo(Math.exp(-0.3) + Math.exp(-0.4), 12);
    expect(one).toBeCloseTo(2 * Math.exp(-0.5), 12);
  });

  it('weigh by sequence probability, relative to the most probable draw, each draw or each distinct response', () => {
    // The most probable draw is the one without an answer: e^0.
    expect(at(sequenceProbabilityVotes(draws))[1]).toBeCloseTo(2 * Math.exp(-1), 12);
    expect(at(perplexityConsistencyVotes(draws))[1]).toBeCloseTo(Math.exp(-1), 12);
    const long = { ...draws, sequenceLogprobs: Float64Array.of(-3000, -4000, -2900, -2900, -5000) };
    expect(expectedAccuracy(perplexityConsistencyVotes(long), 1)).toBe(1);
  });

  it('weigh by rank: 5, 4, then 2.5 for the tied third and fourth, then 1', () => {
    // By confidence: no answer 5, answer 0 with 0.9: 4, the two of answer 1: (3 + 2) / 2 each, answer 0 with 0.2: 1.
    expect(at(bordaVotes(draws))).toEqual([5, 5]);
    expect(at(bordaVotes(draws, [0, 2, 3], 2))).toEqual([9, 2 * 2.5]);
    expect(at(bordaVotes(draws, undefined, 0))).toEqual(at(majorityVotes(draws)));
  });

  it('rank replies without an answer last when they lack a confidence', () => {
    const lacking = {
      answers: Int32Array.of(-1, 0, -1, 1),
      gold: 1,
      confidence: Float64Array.of(-Infinity, 1, -Infinity, 2),
    };
    expect(at(bordaVotes(lacking))).toEqual([3, 4]);
  });

  it('take the surest draw that has an answer, equals together', () => {
    expect(at(bestOfVotes(draws))).toEqual([1, 0]);
    expect(at(bestOfVotes(draws, [1, 2, 3]))).toEqual([0, 2]);
    expect(bestOfVotes(draws, [4]).size).toBe(0);
  });

  it('name the column that is missing', () => {
    expect(() => lengthNormalisedVotes({ answers: draws.answers, gold: 1 })).toThrow('no lpm');
  });
});

it('takes weights that differ by rounding alone for equal', () => {
  const votes = new Map([
    [0, 0.1 + 0.2 + 0.3],
    [1, 0.3 + 0.2 + 0.1],
  ]);
  expect(expectedAccuracy(votes, 1)).toBe(0.5);
});

it('chooses among equal leaders by a seeded draw, and nothing when nobody answered', () => {
  const votes = new Map([
    [7, 2],
    [3, 2],
    [1, 1],
  ]);
  expect([choose(votes, () => 0), choose(votes, () => 0.99)]).toEqual([3, 7]);
  expect(choose(new Map(), () => 0)).toBeNull();
  expect(voteShare(votes)).toBe(0.4);
});
