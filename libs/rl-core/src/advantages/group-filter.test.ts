import { describe, expect, it } from 'vitest';
import { collectRewards, countGroups } from './group-filter.js';
import { grpoAdvantages } from './grpo.js';

describe('collectRewards', () => {
  it('turns a throw, NaN and infinity into a dropped reward, and keeps the others', () => {
    const rewards = collectRewards(5, (i) => {
      if (i === 1) throw new Error('the reward model is away');
      return [1, 0, Number.NaN, Number.POSITIVE_INFINITY, 0][i];
    });
    expect([...rewards]).toEqual([1, Number.NaN, Number.NaN, Number.NaN, 0]);
    // The two that are left are a group of two.
    const two = grpoAdvantages([1, 0], { scale: 'group-std' });
    expect([...grpoAdvantages(rewards, { scale: 'group-std' })]).toEqual([two[0], 0, 0, 0, two[1]]);
  });
});

describe('countGroups', () => {
  it('counts what was dropped, groups of less than two, and groups without signal', () => {
    const nan = Number.NaN;
    // (1, 0, NaN): fine. (1, 1, NaN): no signal. (NaN, NaN, 0): too small. (NaN x 3): too small.
    expect(countGroups([1, 0, nan, 1, 1, nan, nan, nan, 0, nan, nan, nan], 3)).toEqual({
      groups: 4,
      dropped: 7,
      tooSmall: 2,
      withoutSignal: 3,
    });
    expect(countGroups([], 3)).toEqual({ groups: 0, dropped: 0, tooSmall: 0, withoutSignal: 0 });
  });
});
