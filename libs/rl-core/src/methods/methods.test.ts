import { describe, expect, it } from 'vitest';
import { batchAdvantages, type GroupedRewards } from './batch-advantages.js';
import { METHOD_NAMES, methodSchema } from './method-schema.js';
import { methodHeader, resolveMethod } from './resolve-method.js';

const surroundings = { clipRatio: 0.2, maxTokens: 10 };
const resolve = (config: object) => resolveMethod(methodSchema.parse(config), surroundings);
const advantagesOf = (config: object, batch: GroupedRewards) => [
  ...batchAdvantages(resolve(config), batch, null).advantages,
];

const batch: GroupedRewards = {
  groupSize: 2,
  rewards: Float64Array.of(1, 0, 1, 1),
  lpm: Float64Array.of(-0.1, -0.3, -0.2, -0.2),
  referencePerplexity: null,
  ends: { lengths: [4, 9, 10, 2], truncated: [0, 0, 1, 0], maxTokens: 10 },
};

describe('resolveMethod', () => {
  it('keeps the parsed configuration of methods as it was, so that their hashes do not change', () => {
    expect(methodSchema.parse({ name: 'grpo' })).toEqual({ name: 'grpo', scale: 'group-std' });
    expect(Object.keys(methodSchema.parse({ name: 'capo' }))).toEqual([
      'name',
      'tau',
      'pairScale',
      'tauFactor',
      'normalise',
      'mask',
    ]);
  });

  it('decides what each source decides', () => {
    expect(resolve({ name: 'grpo' }).options).toMatchObject({ aggregation: 'token-mean', clipLow: 0.2, clipHigh: 0.2 });
    expect(resolve({ name: 'dr-grpo' }).options).toMatchObject({
      aggregation: 'constant-length',
      constantLength: 10,
      scale: 'none',
    });
    expect(resolve({ name: 'dapo' }).options).toMatchObject({ clipHigh: 0.28, groupsWithoutSignal: 'resample' });
    expect(resolve({ name: 'gspo' }).options).toMatchObject({ ratio: 'sequence', clipLow: 3e-4, clipHigh: 4e-4 });
    expect(resolve({ name: 'gspo', clipHigh: 0.1 }).options.clipHigh).toBe(0.1);
  });

  it('prints every option that a method has, for all methods', () => {
    for (const name of METHOD_NAMES) {
      const header = methodHeader(resolve({ name }));
      for (const key of ['aggregation', 'ratio', 'clipLow', 'clipHigh', 'kl', 'groupsWithoutSignal', 'truncated']) {
        expect(header, name).toHaveProperty(key);
      }
      expect('scale' in header).toBe(name !== 'capo');
    }
    expect(methodHeader(resolve({ name: 'dapo' }))).toMatchObject({ resampleRounds: 4, overlongBuffer: 0.2 });
    expect(methodHeader(resolve({ name: 'dr-grpo' }))).toMatchObject({ constantLength: 10 });
  });

  it('refuses options that a method has no use for', () => {
    expect(methodSchema.safeParse({ name: 'capo', truncated: 'penalise' }).success).toBe(false);
    expect(methodSchema.safeParse({ name: 'rloo', tau: 1 }).success).toBe(false);
    const stairs = [
      { from: 0.5, weight: 1 },
      { from: 0, weight: 0 },
    ];
    expect(methodSchema.safeParse({ name: 'cde', stairs }).success).toBe(false);
  });
});

describe('batchAdvantages of the other methods', () => {
  it('codes rewards, by hand', () => {
    // -1 and 1: twice as far apart.
    expect(advantagesOf({ name: 'dr-grpo', rewardCoding: 'minus-one-one' }, batch)).toEqual([1, -1, 0, 0]);
  });

  it('scales by the batch, by hand', () => {
    // Rewards 1, 0, 1, 1: std 1/2, as in advantages/centred.test.ts; centred 1/2, over 0.500001.
    const [first, second] = advantagesOf({ name: 'grpo', scale: 'batch-std' }, batch);
    expect(first).toBeCloseTo(0.999998, 7);
    expect(second).toBeCloseTo(-0.999998, 7);
  });

  it('punishes long replies, by hand', () => {
    // Limit 10, buffer 2: length 9 -> -1/2, length 10 -> -1. Group 1: (1, -1/2) centred: 0.75. Group 2: (0, 1): 1/2.
    expect(advantagesOf({ name: 'dr-grpo', truncated: 'penalise' }, batch)).toEqual([0.75, -0.75, -0.5, 0.5]);
  });

  it('takes truncated replies and groups without signal out of the loss', () => {
    const truncated = batchAdvantages(resolve({ name: 'rloo', truncated: 'mask' }), batch, null);
    expect([...(truncated.excluded ?? [])]).toEqual([0, 0, 1, 0]);
    const groups = batchAdvantages(resolve({ name: 'rloo', groupsWithoutSignal: 'mask' }), batch, null);
    expect([...(groups.excluded ?? [])]).toEqual([0, 0, 1, 1]);
    expect(batchAdvantages(resolve({ name: 'rloo' }), batch, null).excluded).toBeNull();
  });

  it('weighs prompts for CoDaPO, by hand', () => {
    // Group 1: half right, c = exp(-0.2): w = 0.818731 + 0.1. GRPO gives 0.5 / (sqrt(1/2) + 1e-6).
    const { advantages, promptWeights } = batchAdvantages(resolve({ name: 'codapo' }), batch, null);
    expect(promptWeights?.[0]).toBeCloseTo(0.918731, 6);
    expect(promptWeights?.[1]).toBeCloseTo(0.1, 12);
    expect(advantages[0]).toBeCloseTo(0.918731 * Math.SQRT1_2, 5);
  });

  it('gives CDE its bonus while the stairs last', () => {
    const early = batchAdvantages(resolve({ name: 'cde', scale: 'none' }), batch, null).advantages;
    // Bonus of the right response: min(1/3, 0.1) = 0.1; rewards 1.1 and 0: centred 0.55.
    expect(early[0]).toBeCloseTo(0.55, 12);
    const late = batchAdvantages(resolve({ name: 'cde', scale: 'none' }), { ...batch, progress: 0.8 }, null);
    expect(late.advantages[0]).toBe(0.5);
  });

  it('puts the mask on GRPO, and removes masked partners of CAPO', () => {
    const masked = { ...batch, rewards: Float64Array.of(1, 0, 0, 1), groupSize: 4 };
    masked.referencePerplexity = Float64Array.of(9, 2, 1, 2);
    const thresholds = { low: 1.05, high: 2.5 };
    const grpo = batchAdvantages(resolve({ name: 'grpo', mask: thresholds }), masked, thresholds).advantages;
    expect([...grpo].map(Math.sign)).toEqual([0, -1, -0, 1]);
    const capo = (maskedPartners: string) =>
      batchAdvantages(
        resolve({ name: 'capo', tau: 1, surrogate: 'linear', normalise: 'none', pairScale: 'none', maskedPartners }),
        masked,
        thresholds,
      ).advantages;
    // Every pair weighs 1. Kept as partners: the last right one has two wrong partners; removed: one.
    expect([...capo('keep')]).toEqual([0, -2, -0, 2]);
    expect([...capo('remove')]).toEqual([0, -1, 0, 1]);
  });

  it('scales CAPO by the group, by hand', () => {
    // One pair: +-w, each over sqrt(2) w: +-0.707107, whatever w is.
    const [first, second] = advantagesOf({ name: 'capo', mask: 'none', normalise: 'group-std' }, batch);
    expect(first).toBeCloseTo(Math.SQRT1_2, 9);
    expect(second).toBeCloseTo(-Math.SQRT1_2, 9);
  });
});
