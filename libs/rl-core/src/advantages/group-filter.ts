/** What a batch of groups lost to invalid rewards, and how many groups have nothing to teach. */
export interface GroupCounts {
  groups: number;
  /** Responses whose reward is NaN: dropped from their group. */
  dropped: number;
  /** Groups left with fewer than two valid rewards: nothing to compare, advantage 0. */
  tooSmall: number;
  /** Groups whose valid rewards are all equal, the too small ones included. */
  withoutSignal: number;
}

/** Counts dropped responses and groups without a signal. @param rewards group after group; NaN marks an invalid one */
export function countGroups(rewards: ArrayLike<number>, groupSize: number): GroupCounts {
  const counts: GroupCounts = {
    groups: Math.ceil(rewards.length / groupSize),
    dropped: 0,
    tooSmall: 0,
    withoutSignal: 0,
  };
  for (let start = 0; start < rewards.length; start += groupSize) {
    const group = Array.prototype.slice.call(rewards, start, start + groupSize) as number[];
    const valid = group.filter((reward) => !Number.isNaN(reward));
    counts.dropped += group.length - valid.length;
    if (valid.length < 2) counts.tooSmall++;
    if (new Set(valid).size < 2) counts.withoutSignal++;
  }
  return counts;
}

/**
 * The rewards of a batch from a function that may fail: one that throws, or returns something that is not a finite
 * number, gives NaN, so that the response is dropped from its group and the others keep their mean and deviation.
 */
export function collectRewards(count: number, rewardOf: (index: number) => number): Float64Array {
  return Float64Array.from({ length: count }, (_, index) => {
    try {
      const reward = rewardOf(index);
      return Number.isFinite(reward) ? reward : Number.NaN;
    } catch {
      return Number.NaN;
    }
  });
}
