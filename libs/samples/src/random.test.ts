import { describe, expect, it } from 'vitest';
import { deriveSeed, permutation, stream } from './random.js';

describe('stream', () => {
  it('depends on its name alone', () => {
    const first = stream(1, 'rollout', 3);
    const other = stream(1, 'rollout', 4);
    other.uniform();
    const again = stream(1, 'rollout', 3);
    for (let i = 0; i < 5; i++) expect(again.uniform()).toBe(first.uniform());
  });

  it('differs by seed, by label and by the division of labels', () => {
    const firsts = [
      stream(1, 'a'),
      stream(2, 'a'),
      stream(1, 'b'),
      stream(1, 'a', 0),
      stream(1, 'a0'),
      stream(1, 'a', '0'),
    ];
    expect(new Set(firsts.map((random) => random.uniform())).size).toBe(firsts.length);
  });

  it('has the mean and variance of a uniform and of a normal distribution', () => {
    const random = stream(7, 'moments');
    const n = 20_000;
    const uniform = Array.from({ length: n }, () => random.uniform());
    const normal = Array.from({ length: n }, () => random.normal());
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    // Five standard errors: sd/sqrt(n) is 0.0020 for the uniform and 0.0071 for the normal.
    expect(Math.abs(mean(uniform) - 0.5)).toBeLessThan(0.011);
    expect(Math.abs(mean(normal))).toBeLessThan(0.036);
    expect(Math.abs(mean(normal.map((value) => value * value)) - 1)).toBeLessThan(0.05);
  });
});

describe('permutation', () => {
  it('holds every index once', () => {
    const order = permutation(100, stream(1, 'order'));
    expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect([...order]).not.toEqual([...order].sort((a, b) => a - b));
  });
});

describe('deriveSeed', () => {
  it('is a 32-bit number that depends on the labels', () => {
    expect(deriveSeed(1, 'x')).not.toBe(deriveSeed(1, 'y'));
    expect(deriveSeed(1, 'x')).toBeLessThan(2 ** 32);
  });
});
