import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from '@capo/samples';
import { GGMLQuantizationType } from '@huggingface/gguf';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseModelConfig } from '../config/index.js';
import { openWeights, readFloats, readSafetensors } from '../safetensors/index.js';
import { blockFormat } from './dequantize.js';
import { ggufConfig } from './gguf-config.js';
import { readGguf } from './read-gguf.js';

const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-gguf-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('dequantization', () => {
  const blocks: Record<string, number[]> = JSON.parse(readFileSync(join(fixtures, 'quant-blocks.json'), 'utf8'));
  const expected = readSafetensors(join(fixtures, 'quant-values.safetensors')).tensors;

  // Reference: the Python package of llama.cpp, gguf 0.19.0 (fixtures/make_fixtures.py).
  it.each(['Q8_0', 'Q4_0', 'Q4_1', 'Q4_K', 'Q6_K'] as const)('reads random blocks of %s as llama.cpp does', (name) => {
    const format = blockFormat(GGMLQuantizationType[name])!;
    const raw = Uint8Array.from(blocks[name]);
    const values = new Float32Array((raw.length / format.bytes) * format.weights);
    format.decode(raw, values, 0);
    const reference = readFloats(name, expected.get(name)!);
    expect(values.length).toBe(reference.length);
    for (let i = 0; i < values.length; i++) {
      // The reference rounds to float32 after each operation.
      const tolerance = 1e-6 * Math.max(1, Math.abs(reference[i]));
      expect(Math.abs(values[i] - reference[i]), `${name} ${i}`).toBeLessThanOrEqual(tolerance);
    }
  });
});

describe('readGguf', () => {
  // The files were written by llama.cpp's own package from the models beside them.
  it.each([
    ['llama-bias', 'BF16', 0],
    ['qwen3', 'F32', 0],
    // Half precision has steps of 2^-24 near 0.
    ['qwen2', 'F16', 2 ** -25],
  ])('reads %s, stored in %s, as the safetensors beside it', async (name, storage, tolerance) => {
    const model = await readGguf(join(fixtures, `${name}.gguf`));
    const published = join(fixtures, name, 'config.json');
    const config = parseModelConfig(JSON.parse(readFileSync(published, 'utf8')), published);
    expect(model.config).toEqual(config);
    expect(model.configJson).toMatchObject({ bos_token_id: 1, eos_token_id: 2 });
    expect(model.chatTemplate).toBe('{{ messages[0].content }}');
    const { tensors } = openWeights(join(fixtures, name));
    expect([...model.tensors.keys()].sort()).toEqual([...tensors.keys()].sort());
    for (const [tensor, source] of tensors) {
      const wanted = readFloats(tensor, source);
      const read = readFloats(tensor, model.tensors.get(tensor)!);
      expect(read.length).toBe(wanted.length);
      for (let i = 0; i < wanted.length; i++) {
        if (Math.abs(read[i] - wanted[i]) > tolerance)
          throw new Error(`${tensor} ${i}: ${read[i]} is not ${wanted[i]}`);
      }
    }
    const matrix = model.tensors.get('model.layers.1.self_attn.q_proj.weight')!;
    expect(matrix.storage).toBe(storage);
    expect(matrix.read(37, 205)).toEqual(matrix.read().slice(37, 205));
  });

  it('names what is wrong with a file', async () => {
    const path = join(folder, 'bad.gguf');
    const good = readFileSync(join(fixtures, 'qwen2.gguf'));
    await expect(readGguf(join(folder, 'none.gguf'))).rejects.toThrow(/Cannot read .*none.gguf/);
    writeFileSync(path, 'hello, this is no model at all');
    await expect(readGguf(path)).rejects.toThrow(/bad.gguf: not a usable GGUF file/);
    writeFileSync(path, good.subarray(0, good.length - 1000));
    await expect(readGguf(path)).rejects.toThrow(/bad.gguf: tensor ".*" ends at byte \d+, .*cut off/);
    const foreign = Buffer.from(good);
    foreign.write('qwenX', good.indexOf('qwen2'));
    writeFileSync(path, foreign);
    await expect(readGguf(path)).rejects.toThrow(InputError);
    await expect(readGguf(path)).rejects.toThrow(/architecture "qwenX" is not supported/);
  });

  it('either reads or refuses a damaged file, and never fails in another way', async () => {
    const good = readFileSync(join(fixtures, 'llama-bias.gguf'));
    const path = join(folder, 'damaged.gguf');
    const damage = fc.array(fc.tuple(fc.nat(3000), fc.nat(255)), { minLength: 1, maxLength: 4 });
    const check = async (changes: [number, number][]) => {
      const bytes = Buffer.from(good);
      for (const [at, value] of changes) bytes[at] = value;
      writeFileSync(path, bytes);
      try {
        for (const tensor of (await readGguf(path)).tensors.values()) tensor.read();
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
      }
    };
    await fc.assert(fc.asyncProperty(damage, check), { numRuns: 100 });
  });

  it('names a storage format that is not supported', async () => {
    const bytes = Buffer.from(readFileSync(join(fixtures, 'qwen3.gguf')));
    // The tensor's entry is its name, two dimensions, their count before them, then the number of the format.
    const name = 'blk.0.ffn_up.weight';
    const at = bytes.indexOf(name) + name.length + 4 + 2 * 8;
    expect(bytes.readUInt32LE(at)).toBe(0);
    bytes.writeUInt32LE(10, at);
    const path = join(folder, 'q2.gguf');
    writeFileSync(path, bytes);
    await expect(readGguf(path)).rejects.toThrow(/"blk.0.ffn_up.weight" is stored in a format \(number 10\)/);
  });
});

describe('ggufConfig', () => {
  const facts = { vocabSize: 10, hasHead: false, hasAttentionBias: false };
  const metadata = {
    'general.architecture': 'llama',
    'llama.context_length': 2048n,
    'llama.embedding_length': 64,
    'llama.feed_forward_length': 128,
    'llama.block_count': 2,
    'llama.attention.head_count': 4,
    'llama.attention.layer_norm_rms_epsilon': Math.fround(1e-5),
    'tokenizer.ggml.eos_token_id': 2,
    'tokenizer.ggml.eot_token_id': 7,
  };

  it('gives the keys of config.json, with every end token', () => {
    expect(ggufConfig(metadata, facts, 'x')).toEqual({
      model_type: 'llama',
      vocab_size: 10,
      hidden_size: 64,
      intermediate_size: 128,
      num_hidden_layers: 2,
      num_attention_heads: 4,
      rms_norm_eps: 1e-5,
      tie_word_embeddings: true,
      attention_bias: false,
      max_position_embeddings: 2048,
      eos_token_id: [2, 7],
    });
  });

  it('passes on what the decoder then refuses, and names a missing key', () => {
    const scaled = ggufConfig({ ...metadata, 'llama.rope.scaling.type': 'yarn' }, facts, 'x');
    expect(() => parseModelConfig(scaled, 'x')).toThrow(/"yarn" is not supported/);
    const { 'llama.block_count': _, ...incomplete } = metadata;
    expect(() => ggufConfig(incomplete, facts, 'x')).toThrow(/x: the key "llama.block_count" is missing/);
  });
});
