import { describe, expect, it } from 'vitest';
import { groupsWithSignal, sampleDynamically, selectGroups } from './dynamic-sampling.js';
import type { Rollout } from './rollout.js';

/** A rollout of groups of two with those rewards. */
function rolloutOf(groups: [number, number][]): Rollout {
  const rewards = Float64Array.from(groups.flat());
  return {
    problems: groups.map((_, i) => ({
      id: `p${i}`,
      benchmark: 'test',
      prompt: '',
      gold: '',
      promptTokens: new Int32Array(1),
    })),
    draws: 2,
    drawn: [...rewards].map(() => ({
      tokens: Int32Array.of(1),
      logprobs: Float64Array.of(-1),
      entropies: Float64Array.of(1),
      stop: 'eos' as const,
    })),
    grades: [...rewards].map(() => ({ verdict: 'wrong' as const, answer: null, reason: '' })),
    responses: [...rewards].map(String),
    rewards,
    lpm: rewards.map(() => -1),
  };
}

describe('sampleDynamically', () => {
  it('drops groups without signal and draws until there are enough', async () => {
    const rounds: [number, number][][] = [
      [
        [1, 1],
        [1, 0],
      ],
      [
        [0, 0],
        [0, 0],
      ],
      [
        [0, 1],
        [1, 0],
      ],
    ];
    const asked: number[] = [];
    const { all, kept } = await sampleDynamically(2, 5, async (round) => {
      asked.push(round);
      return rolloutOf(rounds[round]);
    });
    expect(asked).toEqual([0, 1, 2]);
    expect(all.problems).toHaveLength(6);
    // One of round 0 and the first of round 2; the third group with a signal is more than was asked for.
    expect([...kept.rewards]).toEqual([1, 0, 0, 1]);
  });

  it('goes on with what it has when the rounds are used up, even with nothing', async () => {
    const { all, kept } = await sampleDynamically(1, 2, async () => rolloutOf([[0, 0]]));
    expect(all.problems).toHaveLength(3);
    expect(kept.problems).toHaveLength(0);
    expect(kept.rewards).toHaveLength(0);
  });

  it('does not count an invalid reward as a signal', () => {
    expect(groupsWithSignal(rolloutOf([[1, Number.NaN]]))).toEqual([]);
    expect(
      selectGroups(
        rolloutOf([
          [1, 0],
          [0, 0],
        ]),
        [1],
      ).responses,
    ).toEqual(['0', '0']);
  });
});
