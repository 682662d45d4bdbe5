import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from '@capo/samples';
import { describe, expect, it } from 'vitest';
import { openWeights, type TensorSource, tensorOf } from '../safetensors/index.js';
import { checkTensors, expectedTensors, parameterCount } from './expected-tensors.js';
import { type ModelConfig, parseModelConfig } from './model-config.js';

const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url));
const stories = fileURLToPath(new URL('../../../../../shared/data/models/stories260K', import.meta.url));

function load(folder: string): { config: ModelConfig; tensors: Map<string, TensorSource> } {
  const json = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
  return { config: parseModelConfig(json, folder), tensors: new Map(openWeights(folder).tensors) };
}
const product = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

describe('expectedTensors', () => {
  // transformers decided which tensors these models have (fixtures/make_fixtures.py).
  it.each(['qwen2', 'qwen2-tied', 'qwen3', 'llama', 'llama-bias'])('lists the tensors of %s', (name) => {
    const { config, tensors } = load(join(fixtures, name));
    const actual = [...tensors].map(([tensor, { shape }]) => [tensor, [...shape]]);
    expect([...expectedTensors(config)].sort()).toEqual(actual.sort());
    expect(() => checkTensors(config, tensors, name)).not.toThrow();
    expect(parameterCount(config)).toBe([...tensors.values()].reduce((sum, { shape }) => sum + product(shape), 0));
  });

  it.skipIf(!existsSync(stories))('lists those of stories260K (skipped where the shared models are absent)', () => {
    const { config, tensors } = load(stories);
    expect(() => checkTensors(config, tensors, stories)).not.toThrow();
    // The file's 1,045,368 bytes less the header's 8 + 5,232, in float32.
    expect(parameterCount(config)).toBe((1_045_368 - 5_240) / 4);
  });
});

describe('checkTensors', () => {
  const check = (name: string, change: (tensors: Map<string, TensorSource>, config: ModelConfig) => void) => () => {
    const { config, tensors } = load(join(fixtures, name));
    change(tensors, config);
    checkTensors(config, tensors, 'the folder');
  };
  const norm = 'model.norm.weight';

  it('names a missing, an extra and a misshapen tensor', () => {
    expect(check('qwen2', (tensors) => tensors.delete(norm))).toThrow(/the folder: one tensor is missing: "model.norm/);
    const extra = check('qwen2', (tensors) => tensors.set('score.weight', tensorOf(Float32Array.of(1), [1])));
    expect(extra).toThrow(/not part of the model .*"score.weight"/);
    const misshapen = check('qwen2', (tensors) => tensors.set(norm, tensorOf(new Float32Array(31), [31])));
    expect(misshapen).toThrow(/"model.norm.weight" has the shape \[31\], the config asks for \[32\]/);
    const integers = check('qwen2', (tensors) => tensors.set(norm, tensorOf(new BigInt64Array(32), [32])));
    expect(integers).toThrow(/"model.norm.weight" holds I64/);
    expect(integers).toThrow(InputError);
  });

  it('says how many are missing when there are many', () => {
    const many = check('qwen3', (tensors) => {
      for (const name of [...tensors.keys()]) if (name.includes('layers.1.')) tensors.delete(name);
    });
    expect(many).toThrow(/11 tensors are missing: .*, \.\.\./);
  });

  it('names tensor, key and both remedies when an untied model has no head', () => {
    const headless = check('qwen2', (tensors) => tensors.delete('lm_head.weight'));
    expect(headless).toThrow(/"lm_head.weight" is missing, and the config's tie_word_embeddings is false/);
    try {
      headless();
    } catch (error) {
      expect((error as InputError).remedy).toMatch(/set tie_word_embeddings to true; otherwise fetch the file/);
    }
  });

  it('accepts the head of a tied model when it equals the embedding, and only then', () => {
    const withHead = (edit: (head: Float32Array) => void) =>
      check('qwen2-tied', (tensors) => {
        const embedding = tensors.get('model.embed_tokens.weight')!;
        const head = Float32Array.from(embedding.read() as Float32Array);
        edit(head);
        tensors.set('lm_head.weight', tensorOf(head, embedding.shape));
      });
    expect(withHead(() => {})).not.toThrow();
    const differs = withHead((head) => {
      head[head.length - 1] += 1;
    });
    expect(differs).toThrow(/tie_word_embeddings is true, but "lm_head.weight" differs/);
  });

  it('ignores stored rotary frequencies, which the configuration gives', () => {
    const frequencies = tensorOf(new Float32Array(4), [4]);
    const add = check('llama', (tensors) => tensors.set('model.layers.0.self_attn.rotary_emb.inv_freq', frequencies));
    expect(add).not.toThrow();
  });
});
