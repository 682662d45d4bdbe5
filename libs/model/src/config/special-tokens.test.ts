import { describe, expect, it } from 'vitest';
import { specialTokens } from './special-tokens.js';

const source = (json: object) => ({ json, where: 'a file' });

describe('specialTokens', () => {
  it('collects the end tokens of all files, as Qwen2.5 needs', () => {
    const generation = source({ bos_token_id: 151643, pad_token_id: 151643, eos_token_id: [151645, 151643] });
    const config = source({ bos_token_id: 151643, eos_token_id: 151645, hidden_size: 896 });
    expect(specialTokens([generation, config])).toEqual({ bos: 151643, eos: new Set([151645, 151643]), pad: 151643 });
    expect(specialTokens([config])).toEqual({ bos: 151643, eos: new Set([151645]), pad: null });
  });

  it('knows none where no file names one, and takes -1 and null for none', () => {
    expect(specialTokens([])).toEqual({ bos: null, eos: new Set(), pad: null });
    const none = source({ bos_token_id: null, eos_token_id: null, pad_token_id: -1 });
    expect(specialTokens([none])).toEqual({ bos: null, eos: new Set(), pad: null });
    expect(specialTokens([none, source({ pad_token_id: 0 })]).pad).toBe(0);
  });

  it('names the file and the key of a wrong value', () => {
    expect(() => specialTokens([source({ eos_token_id: 'end' })])).toThrow(/a file: eos_token_id/);
  });
});
