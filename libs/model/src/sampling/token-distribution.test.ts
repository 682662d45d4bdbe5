import { describe, expect, it } from 'vitest';
import { drawToken } from './token-distribution.js';

const scratch = new Float64Array(8);
const logits = [Math.log(0.5), Math.log(0.3), Math.log(0.2)];

describe('drawToken', () => {
  it('inverts the distribution function', () => {
    const draw = (uniform: number) => drawToken(logits, 0, 3, { temperature: 1 }, uniform, scratch);
    expect([0, 0.49, 0.51, 0.79, 0.81, 0.999].map((uniform) => draw(uniform).token)).toEqual([0, 0, 1, 1, 2, 2]);
    expect(draw(0.6).logprob).toBeCloseTo(Math.log(0.3), 12);
    // -(0.5 log 0.5 + 0.3 log 0.3 + 0.2 log 0.2)
    expect(draw(0.6).entropy).toBeCloseTo(1.029653, 7);
  });

  it('sharpens with a low temperature: p^2 over its sum', () => {
    const { logprob } = drawToken(logits, 0, 3, { temperature: 0.5 }, 0, scratch);
    expect(logprob).toBeCloseTo(Math.log(0.25 / 0.38), 12);
  });

  it('takes the most probable token at temperature 0, the lowest id among equals, with its plain log-probability', () => {
    expect(drawToken(logits, 0, 3, { temperature: 0 }, 0.99, scratch)).toMatchObject({ token: 0 });
    expect(drawToken(logits, 0, 3, { temperature: 0 }, 0.99, scratch).logprob).toBeCloseTo(Math.log(0.5), 12);
    expect(drawToken([1, 3, 3], 0, 3, { temperature: 0 }, 0.5, scratch).token).toBe(1);
  });

  it('reads the row at its offset, and is exact where other numbers overflow', () => {
    const rows = [9, 9, 1000, 1001];
    expect(drawToken(rows, 2, 2, { temperature: 1 }, 0.9, scratch)).toMatchObject({ token: 1 });
    expect(drawToken(rows, 2, 2, { temperature: 1 }, 0.9, scratch).logprob).toBeCloseTo(-Math.log1p(Math.exp(-1)), 12);
    const certain = drawToken([0, 5000], 0, 2, { temperature: 1 }, 0.5, scratch);
    expect(Object.is(certain.logprob, 0)).toBe(true);
    expect(certain.entropy).toBe(0);
  });
});

describe('drawToken with truncation', () => {
  const drawn = (truncation: object, uniform: number) =>
    drawToken(logits, 0, 3, { temperature: 1, truncation, raw: true }, uniform, scratch);

  it('draws from what is kept, renormalised, and reports both log-probabilities', () => {
    // Of 0.5, 0.3, 0.2 the first two are kept: 0.625 and 0.375.
    expect([0, 0.62, 0.63, 0.999].map((uniform) => drawn({ topK: 2 }, uniform).token)).toEqual([0, 0, 1, 1]);
    expect(drawn({ topK: 2 }, 0.7).logprob).toBeCloseTo(Math.log(0.375), 12);
    expect(drawn({ topK: 2 }, 0.7).rawLogprob).toBeCloseTo(Math.log(0.3), 12);
    // -(0.625 log 0.625 + 0.375 log 0.375)
    expect(drawn({ topK: 2 }, 0.7).entropy).toBeCloseTo(0.6615632, 6);
  });

  it('has the self-certainty of the distribution: -ln 3 - mean ln p', () => {
    const options = { temperature: 0.7, truncation: { topK: 1 }, selfCertainty: true };
    const expected = -Math.log(3) - (Math.log(0.5) + Math.log(0.3) + Math.log(0.2)) / 3;
    expect(drawToken(logits, 0, 3, options, 0.5, scratch).selfCertainty).toBeCloseTo(expected, 12);
    expect(drawToken([2, 2, 2], 0, 3, options, 0.5, scratch).selfCertainty).toBe(0);
  });

  it('keeps the raw value at any temperature', () => {
    const options = { temperature: 0.5, truncation: { topK: 1 }, raw: true };
    expect(drawToken(logits, 0, 3, options, 0.9, scratch)).toMatchObject({ token: 0, logprob: 0 });
    expect(drawToken(logits, 0, 3, options, 0.9, scratch).rawLogprob).toBeCloseTo(Math.log(0.5), 12);
  });
});
