import { describe, expect, it } from 'vitest';
import { leaderBeats, stopWhenConfident, stopWhenDecided } from './adaptive-stopping.js';
import { deepConfVotes, replayOnline } from './deepconf.js';
import { groupConfidences, traceConfidence } from './trace-confidence.js';

describe('traceConfidence', () => {
  const tokens = [-1, -3, -2, 0, -4];

  it('has sliding groups, the lowest of them, the tail and the mean', () => {
    expect([...groupConfidences(tokens, 2)]).toEqual([-2, -2.5, -1, -2]);
    expect(traceConfidence('lowest-group', tokens, { window: 2 })).toBe(-2.5);
    expect(traceConfidence('bottom-groups', tokens, { window: 2 })).toBe(-2.5);
    expect(traceConfidence('tail', tokens, { window: 2 })).toBe(-2);
    expect(traceConfidence('mean', tokens, { window: 2 })).toBe(-2);
  });

  it('takes a trace shorter than the window as one group, and has nothing to say of an empty one', () => {
    expect([...groupConfidences(tokens, 2048)]).toEqual([-2]);
    expect(traceConfidence('mean', [], { window: 2 })).toBeNaN();
    expect(groupConfidences([], 2)).toHaveLength(0);
  });
});

const draws = {
  answers: Int32Array.of(0, 1, 1, -1, 0),
  gold: 0,
  tokenLogprobs: [[-0.1], [-0.5, -0.5], [-1, -1], [-0.01], [-2, -2, -2]].map((values) => Float64Array.from(values)),
};

describe('deepConfVotes', () => {
  it('lets the surest share of the traces with an answer vote, weighted', () => {
    const options = { confidence: 'mean', window: 10 } as const;
    // Four traces have an answer; the surest tenth is one, the surest half two.
    expect([...deepConfVotes(draws, [0, 1, 2, 3, 4], { ...options, keep: 0.1 })]).toEqual([[0, Math.exp(-0.1)]]);
    const half = deepConfVotes(draws, [0, 1, 2, 3, 4], { ...options, keep: 0.5 });
    expect(half.get(1)).toBeCloseTo(Math.exp(-0.5), 12);
  });
});

describe('replayOnline', () => {
  it('takes the threshold from the warm-up and stops later traces at the first group below it', () => {
    const replay = replayOnline(draws, [0, 1, 2, 3, 4], { warmup: 2, keep: 1, window: 2 });
    // Threshold: the lower of -0.1 and -0.5. The third trace ends in a group of -1, all its 2 tokens drawn; the last is
    // stopped after the 2 tokens of its first group.
    expect(replay.stopped).toBe(2);
    expect(replay.tokens).toBe(1 + 2 + 2 + 1 + 2);
    expect([...replay.votes.keys()].sort()).toEqual([0, 1]);
  });

  it('stops nothing when every trace belongs to the warm-up', () => {
    expect(replayOnline(draws, [0, 1, 2, 3, 4], { warmup: 16, keep: 0.1, window: 2 })).toMatchObject({
      stopped: 0,
      tokens: 9,
    });
  });
});

describe('stopping early', () => {
  const five = { answers: Int32Array.of(0, 0, 0, 1, 1), gold: 0 };

  it('ends when the leader cannot be caught: three of five', () => {
    expect(stopWhenDecided(five, [0, 1, 2, 3, 4]).drawn).toBe(3);
    expect(stopWhenDecided(five, [0, 3, 1, 4, 2]).drawn).toBe(5);
    expect(stopWhenDecided({ answers: Int32Array.of(-1, -1), gold: 0 }, [0, 1]).drawn).toBe(2);
  });

  it('ends when a Beta posterior is sure enough', () => {
    // P(share > 1/2 | a leader of a votes and no other) = 1 - 2^-(a + 1).
    expect(leaderBeats(3, 0)).toBeCloseTo(1 - 2 ** -4, 12);
    expect(leaderBeats(2, 2)).toBeCloseTo(0.5, 12);
    const many = { answers: new Int32Array(20), gold: 0 };
    expect(
      stopWhenConfident(
        many,
        Array.from({ length: 20 }, (_, i) => i),
      ).drawn,
    ).toBe(4);
  });
});
