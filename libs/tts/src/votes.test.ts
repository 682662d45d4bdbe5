import { describe, expect, it } from 'vitest';
import { expectedAccuracy, type ProblemDraws } from './draws.js';
import { majorityVotes, perplexityConsistencyVotes } from './votes.js';

/** Five draws: answer 0 three times (twice by the same path), answer 1 once, and one reply without an answer. */
const draws: ProblemDraws = {
  answers: Int32Array.of(0, 0, 0, 1, -1),
  sequenceLogprobs: Float64Array.of(Math.log(0.1), Math.log(0.1), Math.log(0.05), Math.log(0.2), Math.log(0.9)),
  paths: Int32Array.of(0, 0, 1, 2, 3),
  gold: 1,
};

describe('votes', () => {
  it('counts answers; a reply without one never votes', () => {
    expect([...majorityVotes(draws)]).toEqual([
      [0, 3],
      [1, 1],
    ]);
    expect(expectedAccuracy(majorityVotes(draws), draws.gold)).toBe(0);
  });

  it('adds up the probabilities of distinct responses', () => {
    // Answer 0: 0.1 + 0.05 = 0.15, its repeated path once; answer 1: 0.2. Relative to the most probable, 0.9.
    const votes = perplexityConsistencyVotes(draws);
    expect((votes.get(0) as number) / (votes.get(1) as number)).toBeCloseTo(0.75, 12);
    expect(expectedAccuracy(votes, draws.gold)).toBe(1);
  });

  it('does not underflow for long responses', () => {
    const long = { ...draws, sequenceLogprobs: draws.sequenceLogprobs.map((logprob) => logprob - 5000) };
    const votes = perplexityConsistencyVotes(long);
    expect((votes.get(0) as number) / (votes.get(1) as number)).toBeCloseTo(0.75, 9);
  });
});

describe('expectedAccuracy', () => {
  it('splits ties and gives nothing without votes or for an answer that nobody gave', () => {
    expect(
      expectedAccuracy(
        new Map([
          [0, 2],
          [1, 2],
          [2, 1],
        ]),
        1,
      ),
    ).toBe(0.5);
    expect(expectedAccuracy(new Map([[0, 2]]), -2)).toBe(0);
    expect(expectedAccuracy(new Map(), 0)).toBe(0);
  });
});
