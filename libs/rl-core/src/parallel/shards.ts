/** A run of neighbouring items: from the first up to, and not with, the last. */
export type Shard = readonly [start: number, end: number];

/** Below that many tokens a shard costs more to hand over than it saves. */
const SMALLEST_BATCH = 512;
/** Tokens of a pair of shards of a gradient: memory is bounded by it, and so is what rounding differs from one shard. */
const TOKENS_PER_PAIR = 4096;
/** Requests of a pair of shards of a rollout; a sampler's batch is at its best speed from about 128 rows. */
const REQUESTS_PER_PAIR = 512;

/**
 * The shards that a gradient is summed over: one for a small batch, otherwise an even number of about the same tokens.
 * They depend on the sequences alone and never on how many workers there are, so that neither does the sum.
 */
export function tokenShards(lengths: readonly number[]): Shard[] {
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  return cutEvenly(lengths, tokens < SMALLEST_BATCH ? 1 : 2 * Math.ceil(tokens / TOKENS_PER_PAIR));
}

/** The shards that responses are drawn in. A draw depends on its prompt and stream alone, so the cut changes no number. */
export function requestShards(count: number): Shard[] {
  const parts = count < 32 ? 1 : 2 * Math.ceil(count / REQUESTS_PER_PAIR);
  return cutEvenly(new Array<number>(count).fill(1), parts);
}

/**
 * Cuts items into at most that many runs of about the same cost. No run is empty, and all items are in one.
 *
 * @example
 * cutEvenly([1, 1, 2], 2) // [[0, 2], [2, 3]]
 */
export function cutEvenly(costs: readonly number[], parts: number): Shard[] {
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  const shards: Shard[] = [];
  let start = 0;
  let reached = 0;
  for (let i = 0; i < costs.length; i++) {
    reached += costs[i];
    const isLast = i === costs.length - 1;
    if (isLast || (shards.length < parts - 1 && reached * parts >= total * (shards.length + 1))) {
      shards.push([start, i + 1]);
      start = i + 1;
    }
  }
  return shards;
}
