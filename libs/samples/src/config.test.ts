import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { didYouMean, parseConfig, suggest } from './config.js';

const schema = z.strictObject({
  learningRate: z.number().positive().default(0.1),
  optimizer: z.strictObject({ beta1: z.number().default(0.9) }).prefault({}),
});

describe('parseConfig', () => {
  it('fills in defaults', () => {
    expect(parseConfig(schema, {}, 'run.yaml')).toEqual({ learningRate: 0.1, optimizer: { beta1: 0.9 } });
  });

  it('names an unknown key with a suggestion, also inside another', () => {
    expect(() => parseConfig(schema, { learning_rate: 1 }, 'run.yaml')).toThrow(
      'run.yaml: unknown key "learning_rate". Did you mean "learningRate"?',
    );
    expect(() => parseConfig(schema, { optimizer: { beta_1: 1 } }, 'run.yaml')).toThrow(
      'unknown key "optimizer.beta_1". Did you mean "beta1"?',
    );
    expect(() => parseConfig(schema, { zzz: 1 }, 'run.yaml')).toThrow('Known: learningRate, optimizer.');
  });

  it('names every wrong value', () => {
    expect(() => parseConfig(schema, { learningRate: -1, optimizer: { beta1: 'x' } }, 'run.yaml')).toThrow(
      /learningRate: .*; optimizer\.beta1: /,
    );
  });
});

describe('suggest', () => {
  it('finds a near name and none where none is near', () => {
    expect(suggest('tabel2', ['table1', 'table2'])).toBe('table2');
    expect(suggest('group-size', ['groupSize'])).toBe('groupSize');
    expect(suggest('elephant', ['table1'])).toBeUndefined();
    expect(didYouMean('x', ['alpha', 'beta'])).toBe('Known: alpha, beta.');
  });
});
