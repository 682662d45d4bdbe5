import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectedTensors, parseModelConfig } from '../config/index.js';
import { openWeights, readFloats, tensorOf, writeWeights } from '../safetensors/index.js';
import { convertModel } from './convert-model.js';
import { inspectModel } from './inspect-model.js';

const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url));
const stories = fileURLToPath(new URL('../../../../../shared/data/models/stories260K', import.meta.url));
let folder: string;
const path = (...names: string[]) => join(folder, ...names);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-model-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('inspectModel', () => {
  it.skipIf(!existsSync(stories))('says what stories260K is (skipped where the shared models are absent)', async () => {
    const summary = await inspectModel(stories);
    expect(summary).toMatchObject({
      format: 'safetensors',
      parameters: 260_032,
      storage: { F32: 47 },
      tokenizer: { tokens: 512, bos: 1, eos: [2], pad: null, chatTemplate: null },
      warnings: [],
    });
  });

  it('opens GGUF files, and warns of a missing tokenizer and odd values', async () => {
    cpSync(join(fixtures, 'llama-bias.gguf'), path('m.gguf'));
    const gguf = await inspectModel(path('m.gguf'));
    expect(gguf).toMatchObject({ format: 'gguf', storage: { BF16: 15, F32: 13 }, tokenizer: null });
    expect(gguf.warnings).toEqual([expect.stringMatching(/the model has no tokenizer/)]);
    cpSync(join(fixtures, 'qwen2'), path('odd'), { recursive: true });
    const config = JSON.parse(readFileSync(path('odd', 'config.json'), 'utf8'));
    writeFileSync(path('odd', 'config.json'), JSON.stringify({ ...config, rope_theta: 1000 }));
    expect((await inspectModel(path('odd'))).warnings[0]).toMatch(/rope_theta is 1000/);
  });

  it('names what makes a model unusable', async () => {
    await expect(inspectModel(path('nowhere'))).rejects.toThrow(/Cannot read .*config.json/);
    mkdirSync(path('empty'));
    writeFileSync(path('empty', 'config.json'), '{');
    await expect(inspectModel(path('empty'))).rejects.toThrow(/config.json: not valid JSON/);
    writeFileSync(path('file'), '');
    await expect(inspectModel(path('file'))).rejects.toThrow(/neither a folder nor a GGUF file/);
    cpSync(join(fixtures, 'qwen2'), path('mixed'), { recursive: true });
    cpSync(join(fixtures, 'qwen3', 'config.json'), path('mixed', 'config.json'));
    await expect(inspectModel(path('mixed'))).rejects.toThrow(/tensors are missing.*q_norm/);
  });
});

describe('convertModel', () => {
  it('makes the folder of a GGUF file, with its chat template and another tokenizer', async () => {
    mkdirSync(path('tokenizer'));
    writeFileSync(path('tokenizer', 'tokenizer.json'), '{}');
    const gguf = join(fixtures, 'llama-bias.gguf');
    const converted = await convertModel(gguf, path('out'), { dtype: 'BF16', tokenizer: path('tokenizer') });
    expect(converted.copied).toEqual(['tokenizer.json', 'chat_template.jinja']);
    expect(readdirSync(path('out')).sort()).toEqual([
      'chat_template.jinja',
      'config.json',
      'model.safetensors',
      'tokenizer.json',
    ]);
    const published = openWeights(join(fixtures, 'llama-bias')).tensors;
    const written = openWeights(path('out')).tensors;
    expect([...written.keys()].sort()).toEqual([...published.keys()].sort());
    for (const [name, tensor] of published) {
      expect(written.get(name)!.dtype).toBe('BF16');
      expect(readFloats(name, written.get(name)!)).toEqual(readFloats(name, tensor));
    }
    const config = JSON.parse(readFileSync(path('out', 'config.json'), 'utf8'));
    expect(config).toMatchObject({ torch_dtype: 'bfloat16', bos_token_id: 1, rope_theta: 500_000, rms_norm_eps: 1e-5 });
  });

  it('keeps the numbers through other formats and shards', async () => {
    await convertModel(join(fixtures, 'qwen3'), path('wide'), { dtype: 'F32', maxShardBytes: 20_000 });
    expect(readdirSync(path('wide')).filter((name) => name.endsWith('.safetensors')).length).toBeGreaterThan(3);
    await convertModel(path('wide'), path('narrow'), { dtype: 'BF16' });
    const before = openWeights(join(fixtures, 'qwen3')).tensors;
    const after = openWeights(path('narrow')).tensors;
    for (const [name, tensor] of before) expect(after.get(name)!.read()).toEqual(tensor.read());
  });

  it('writes over no model, its source least of all', async () => {
    cpSync(join(fixtures, 'qwen2'), path('source'), { recursive: true });
    await expect(convertModel(path('source'), path('source'))).rejects.toThrow(/holds a model already/);
    await convertModel(path('source'), path('target'));
    await expect(convertModel(path('source'), path('target'))).rejects.toThrow(/holds a model already/);
  });

  it('holds a small part of a large model in memory', async () => {
    // 200 MB of weights in BF16: 400 MB in float32.
    const config = { model_type: 'llama', vocab_size: 100_000, hidden_size: 512, intermediate_size: 8192 };
    const sizes = { num_hidden_layers: 4, num_attention_heads: 8, tie_word_embeddings: true };
    const json = { ...config, ...sizes };
    mkdirSync(path('large'));
    writeFileSync(path('large', 'config.json'), JSON.stringify(json));
    const expected = expectedTensors(parseModelConfig(json, 'test'));
    const zeros = (shape: number[]) => ({
      ...tensorOf(new Float32Array(0), [0], 'BF16'),
      shape,
      read: (start = 0, end = 0) => new Float32Array(end - start),
    });
    writeWeights(path('large'), new Map([...expected].map(([name, shape]) => [name, zeros(shape)])));
    await build({
      configFile: false,
      logLevel: 'error',
      resolve: { conditions: ['@capo/source'] },
      ssr: { noExternal: true, resolve: { conditions: ['@capo/source', 'node', 'import', 'default'] } },
      build: {
        ssr: fileURLToPath(new URL('convert-model.ts', import.meta.url)),
        outDir: path('script'),
        rollupOptions: { output: { entryFileNames: 'convert.mjs' } },
      },
    });
    const run = (target: string, dtype: string) => {
      const code = `import { convertModel } from './convert.mjs';
        await convertModel(${JSON.stringify(path('large'))}, ${JSON.stringify(target)}, { dtype: '${dtype}' });
        console.log(process.resourceUsage().maxRSS / 1024);`;
      writeFileSync(path('script', 'run.mjs'), code);
      const { stdout, stderr } = spawnSync(process.execPath, [path('script', 'run.mjs')], { encoding: 'utf8' });
      expect(stderr).toBe('');
      return Number(stdout);
    };
    const megabytes = run(path('out'), 'F32');
    // The model would take 400 MB, Node itself about 60; blocks that are done with stay until they are collected, which
    // on a busy machine has been seen to reach 254 in all.
    expect(megabytes).toBeLessThan(350);
  });
});
