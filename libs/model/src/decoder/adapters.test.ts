import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stream } from '@capo/samples';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBackend } from '../backend/backend.js';
import { tf } from '../backend/tf.js';
import { readFloats, readSafetensors } from '../safetensors/index.js';
import { AdamW } from '../training/adamw.js';
import { lossAndGradients } from '../training/gradients.js';
import { packSequences, type Sequence, scoreBatch, scoreSequences } from '../training/sequence-batch.js';
import { ADAPTER_TARGETS, Adapters } from './adapters.js';
import type { Decoder } from './decoder.js';
import { loadAdapters, saveAdapters } from './peft.js';
import { loadPretrained } from './pretrained.js';
import { savePretrained } from './save-pretrained.js';

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
const SEQUENCES: Sequence[] = [
  { prompt: [1, 5, 9], response: [3, 7, 2, 8] },
  { prompt: [4], response: [6, 6] },
];
const OPTIONS = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, maxGradientNorm: 1 };

let folder: string;
beforeAll(async () => {
  await useBackend('wasm');
  folder = mkdtempSync(join(tmpdir(), 'capo-adapters-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const score = (decoder: Decoder) => scoreSequences(decoder, SEQUENCES).flatMap((values) => [...values]);

/** Trains whatever is trainable to make the sequences likely. Returns the mean log-probability before each step. */
function train(decoder: Decoder, steps: number): number[] {
  const optimizer = new AdamW(decoder.trainable, OPTIONS);
  const batch = packSequences(SEQUENCES);
  const means: number[] = [];
  for (let step = 0; step < steps; step++) {
    const mean = () => scoreBatch(decoder, batch).logprob.mean().neg() as tf.Scalar;
    const { loss, gradients } = lossAndGradients(decoder.trainable, mean);
    optimizer.update(gradients, 0.02);
    means.push(-loss);
  }
  optimizer.dispose();
  return means;
}

function withAdapters(name: string, targets: readonly (typeof ADAPTER_TARGETS)[number][] = ADAPTER_TARGETS): Decoder {
  const decoder = loadPretrained(fixture(name));
  decoder.adapters = new Adapters(decoder.config, { rank: 3, alpha: 6, targets }, stream(1, 'adapters'));
  return decoder;
}

describe.each(['llama-bias', 'qwen2-tied', 'qwen3'])('adapters of %s', (name) => {
  it('change nothing while they are fresh, and are all that training changes', async () => {
    const plain = loadPretrained(fixture(name));
    const decoder = withAdapters(name);
    expect(score(decoder)).toEqual(score(plain));
    const before = await decoder.weights();
    const means = train(decoder, 12);
    expect(means[11]).toBeGreaterThan(means[0] + 0.5);
    expect(await decoder.weights()).toEqual(before);
    plain.dispose();
    decoder.dispose();
  });

  it('survive the round trip through PEFT files, and merge into a model folder', async () => {
    const decoder = withAdapters(name, ['q_proj', 'v_proj', 'up_proj', 'down_proj']);
    train(decoder, 5);
    const trained = score(decoder);
    const peft = join(folder, `${name}-peft`);
    await saveAdapters(decoder.adapters as Adapters, peft, name);
    const again = loadPretrained(fixture(name));
    again.adapters = loadAdapters(peft, again.config);
    expect(score(again)).toEqual(trained);
    const merged = join(folder, `${name}-merged`);
    await savePretrained(decoder, merged, fixture(name));
    const loaded = loadPretrained(merged);
    score(loaded).forEach((value, i) => {
      expect(value).toBeCloseTo(trained[i], 4);
    });
    for (const item of [decoder, again, loaded]) item.dispose();
  });
});

describe('PEFT files', () => {
  it('have the names and shapes that PEFT gives them', async () => {
    const decoder = withAdapters('qwen2', ['q_proj', 'down_proj']);
    const path = join(folder, 'names');
    await saveAdapters(decoder.adapters as Adapters, path, 'qwen2');
    const { hidden_size: hidden, intermediate_size: intermediate, num_attention_heads, head_dim } = decoder.config;
    const { tensors } = readSafetensors(join(path, 'adapter_model.safetensors'));
    const name = (part: string) => `base_model.model.model.layers.0.${part}.weight`;
    expect(tensors.get(name('self_attn.q_proj.lora_A'))?.shape).toEqual([3, hidden]);
    expect(tensors.get(name('self_attn.q_proj.lora_B'))?.shape).toEqual([num_attention_heads * head_dim, 3]);
    expect(tensors.get(name('mlp.down_proj.lora_A'))?.shape).toEqual([3, intermediate]);
    expect(JSON.parse(readFileSync(join(path, 'adapter_config.json'), 'utf8'))).toMatchObject({
      peft_type: 'LORA',
      r: 3,
      lora_alpha: 6,
      target_modules: ['q_proj', 'down_proj'],
    });
    decoder.dispose();
  });

  it.each([
    [{ peft_type: 'IA3' }, 'not an adapter that this version reads'],
    [{ peft_type: 'LORA', r: 3, lora_alpha: 6, target_modules: ['q_proj'], bias: 'all' }, 'not an adapter'],
    [{ peft_type: 'LORA', r: 4, lora_alpha: 6, target_modules: ['q_proj', 'down_proj'] }, 'where its shape'],
  ])('are refused when they do not fit: %j', (config, message) => {
    const path = join(folder, `bad-${JSON.stringify(config).length}`);
    cpSync(join(folder, 'names'), path, { recursive: true });
    writeFileSync(join(path, 'adapter_config.json'), JSON.stringify(config));
    const { config: model } = loadPretrained(fixture('qwen2'));
    expect(() => loadAdapters(path, model)).toThrow(message);
  });
});

it('saves a model folder with the same weights as it was loaded from', async () => {
  for (const name of ['llama', 'qwen2-tied', 'qwen3']) {
    const decoder = loadPretrained(fixture(name));
    const target = join(folder, `${name}-saved`);
    await savePretrained(decoder, target, fixture(name));
    const [saved, origin] = [target, fixture(name)].map(
      (path) => readSafetensors(join(path, 'model.safetensors')).tensors,
    );
    expect([...saved.keys()].sort()).toEqual([...origin.keys()].sort());
    for (const [key, tensor] of saved)
      expect(readFloats(key, tensor)).toEqual(readFloats(key, origin.get(key) as typeof tensor));
    decoder.dispose();
  }
});

it('leaves no tensor behind', async () => {
  const before = tf.memory().numTensors;
  const decoder = withAdapters('qwen2');
  train(decoder, 2);
  await decoder.adapters?.merged('layers.0.qkv', new Float32Array(decoder.parameters.get('layers.0.qkv')?.size ?? 0));
  decoder.dispose();
  expect(tf.memory().numTensors).toBe(before);
});
