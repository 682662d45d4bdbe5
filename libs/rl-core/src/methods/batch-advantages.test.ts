import { describe, expect, it } from 'vitest';
import { rootMeanSquareScale } from '../advantages/scale.js';
import { batchAdvantages, needsReference } from './batch-advantages.js';
import { methodSchema } from './method-schema.js';

const batch = {
  groupSize: 2,
  rewards: Float64Array.of(1, 0, 1, 1, 0, 1),
  lpm: Float64Array.of(-0.2, -0.1, -1, -1, -0.5, -0.3),
  referencePerplexity: Float64Array.of(3, 1.2, 1, 1, 1.01, 1.2),
};

describe('batchAdvantages', () => {
  it('computes GRPO group by group', () => {
    // Groups (1, 0), (1, 1), (0, 1): std of (1, 0) is sqrt(1/2), so the advantage is 0.5 / 0.7071078 = 0.707106.
    const { advantages, mask } = batchAdvantages(methodSchema.parse({ name: 'grpo' }), batch, null);
    expect([...advantages].map((a) => a.toFixed(4))).toEqual([
      '0.7071',
      '-0.7071',
      '0.0000',
      '0.0000',
      '-0.7071',
      '0.7071',
    ]);
    expect(mask).toBeNull();
  });

  it('gives CAPO unit root mean square over groups with a pair, then masks', () => {
    const method = methodSchema.parse({ name: 'capo', tau: 0.1, mask: { low: 1.05, high: 2.5 } });
    const { advantages, mask } = batchAdvantages(method, batch, { low: 1.05, high: 2.5 });
    // Pair weights: misranked by 0.1, sigmoid(1) = 0.731059; ranked right by 0.2, sigmoid(-2) = 0.119203.
    // Root mean square of (w1, w1, w2, w2): sqrt((0.534447 + 0.014209) / 2) = 0.523763.
    expect(advantages[0]).toBe(0); // right with reference perplexity 3: a lucky guess
    expect(advantages[1]).toBeCloseTo(-0.731059 / 0.523763, 4);
    expect(advantages[4]).toBe(-0); // wrong with reference perplexity 1.01: nearly right
    expect(advantages[5]).toBeCloseTo(0.119203 / 0.523763, 4);
    expect([...(mask ?? [])]).toEqual([0, 1, 1, 1, 0, 1]);
  });

  it('looks at the reference only where there is a mask', () => {
    expect(needsReference(methodSchema.parse({ name: 'grpo' }))).toBe(false);
    expect(needsReference(methodSchema.parse({ name: 'capo', mask: 'none' }))).toBe(false);
    expect(needsReference(methodSchema.parse({ name: 'capo' }))).toBe(true);
  });
});

describe('rootMeanSquareScale', () => {
  it('counts only groups with a signal', () => {
    expect(rootMeanSquareScale(Float64Array.of(2, -2, 0, 0), 2)).toBe(0.5);
    expect(rootMeanSquareScale(Float64Array.of(0, 0), 2)).toBe(1);
    expect(rootMeanSquareScale(new Float64Array(0), 2)).toBe(1);
  });
});
