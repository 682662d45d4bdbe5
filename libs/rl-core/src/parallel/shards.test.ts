import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutEvenly, requestShards, tokenShards } from './shards.js';

describe('cutEvenly', () => {
  it('cuts where half of the cost is reached', () => {
    // Half of 4 is reached after the first two items.
    expect(cutEvenly([1, 1, 2], 2)).toEqual([
      [0, 2],
      [2, 3],
    ]);
  });

  it('holds every item once, in order, without an empty run, for any costs', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50)), fc.integer({ min: 1, max: 9 }), (costs, parts) => {
        const shards = cutEvenly(costs, parts);
        expect(shards.length).toBeLessThanOrEqual(parts);
        const items = shards.flatMap(([start, end]) => Array.from({ length: end - start }, (_, i) => start + i));
        expect(items).toEqual([...costs.keys()]);
        for (const [start, end] of shards) expect(end).toBeGreaterThan(start);
      }),
    );
  });
});

describe('the shards of a step', () => {
  it('are one where the batch is small, and even in number where it is not', () => {
    expect(tokenShards([20, 20])).toEqual([[0, 2]]);
    expect(tokenShards(new Array(128).fill(20))).toEqual([
      [0, 64],
      [64, 128],
    ]);
    expect(tokenShards(new Array(256).fill(20))).toHaveLength(4);
    expect(requestShards(31)).toHaveLength(1);
    expect(requestShards(256)).toEqual([
      [0, 128],
      [128, 256],
    ]);
    expect(requestShards(0)).toEqual([]);
  });
});
