import { createHash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** A part of a stream's name: the purpose, the step, the problem, the draw. */
export type StreamLabel = string | number;

/** A source of random numbers that belongs to one purpose and to nothing else. */
export interface RandomStream {
  /** A uniform number in [0, 1) with 53 random bits. */
  uniform(): number;
  /** A uniform integer in [0, bound). `bound` is at least 1. */
  integer(bound: number): number;
  /** A standard normal number (Marsaglia's polar method). */
  normal(): number;
}

/**
 * The random stream of that seed and name.
 *
 * Streams of different names are independent, and a stream depends on nothing but its name: not on how many numbers
 * were drawn before, in which process, or in which order. That is what makes a resumed run equal an uninterrupted one
 * and a sample independent of its batch. The name is hashed with SHA-256 into the state of a xoroshiro128+ generator.
 *
 * @example
 * stream(1, 'rollout', 12, 'chain3/0007', 3).uniform()
 */
export function stream(seed: number, ...labels: StreamLabel[]): RandomStream {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...labels]))
    .digest();
  const state = [digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), digest.readInt32LE(12)];
  const generator = xoroshiro128plusFromState(state);
  const uniform = () => uniformFloat64(generator);
  return {
    uniform,
    integer: (bound) => uniformInt(generator, 0, bound - 1),
    normal: () => {
      for (;;) {
        const u = 2 * uniform() - 1;
        const v = 2 * uniform() - 1;
        const s = u * u + v * v;
        if (s > 0 && s < 1) return u * Math.sqrt((-2 * Math.log(s)) / s);
      }
    },
  };
}

/** A 32-bit seed for one purpose, derived from the run's seed; recorded with each sample so that it can be drawn again. */
export function deriveSeed(seed: number, ...labels: StreamLabel[]): number {
  return createHash('sha256')
    .update(JSON.stringify([seed, ...labels]))
    .digest()
    .readUInt32LE(0);
}

/** A random permutation of 0..n-1 (Fisher and Yates). */
export function permutation(n: number, random: RandomStream): Int32Array {
  const order = Int32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    const swap = order[i];
    order[i] = order[j];
    order[j] = swap;
  }
  return order;
}
