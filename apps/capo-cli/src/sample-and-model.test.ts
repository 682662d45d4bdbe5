import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectedTensors, parameterCount, parseModelConfig, type TensorSource, writeWeights } from '@capo/model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MockServer } from '../../../libs/model/src/endpoint/testing/mock-server.js';
import { MockHub } from '../../../libs/model/src/hub/testing/mock-hub.js';
import { runCapo } from './testing/run-capo.js';

const fixtures = fileURLToPath(new URL('../../../libs/model/fixtures', import.meta.url));
const stories = fileURLToPath(new URL('../../../../shared/data/models/stories260K', import.meta.url));
let folder: string;
let problems: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-sample-'));
  problems = join(folder, 'sums.jsonl');
  const lines = [1, 2, 3].map((i) => `${JSON.stringify({ id: `p${i}`, problem: `problem ${i}`, answer: i })}\n`);
  writeFileSync(problems, lines.join(''));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('capo sample', () => {
  const args = (endpoint: string, changes: Record<string, string> = {}, ...more: string[]) => {
    const runs = join(folder, 'runs');
    const flags = { endpoint, model: 'mock', benchmark: problems, runs, 'max-tokens': '1', n: '4', ...changes };
    return ['sample', ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]), ...more];
  };

  it('draws, grades and records, and a second call asks nothing', async () => {
    const server = await MockServer.start();
    try {
      const { code, stdout, stderr } = await runCapo(args(server.url, {}, '--json'), { CAPO_API_KEY: 'sk-secret' });
      expect(stderr).not.toContain('Error');
      expect(code).toBe(0);
      const report = JSON.parse(stdout);
      expect(report).toMatchObject({ before: 0, added: 12, capabilities: { seed: 'honoured' } });
      const samples = readFileSync(report.samples, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(samples).toHaveLength(12);
      for (const sample of samples) {
        // The mock answers with one digit.
        expect(sample.answer).toBe(sample.response.trim());
        expect(sample.verdict).toBe(sample.answer === sample.gold ? 'correct' : 'wrong');
        expect(sample.prompt).toContain('final answer within \\boxed{}');
        expect(sample.logprob.sum).toBeLessThan(0);
      }
      const manifest = readFileSync(join(report.folder, 'manifest.json'), 'utf8');
      expect(JSON.parse(manifest).notes).toMatchObject({
        capabilities: { semantics: { kind: 'raw' }, logprobs: true },
        grader: 'math/1',
        draws: 4,
      });
      expect(manifest + stdout + stderr).not.toContain('sk-secret');

      const asked = () => server.requests.filter((body) => JSON.stringify(body).includes('problem')).length;
      expect(asked()).toBe(12);
      const again = await runCapo(args(server.url, {}, '--json'));
      expect(JSON.parse(again.stdout)).toMatchObject({ before: 12, added: 0 });
      const more = await runCapo(args(server.url, { n: '6' }));
      expect(more.stdout).toContain('6 samples added to the 12');
      expect(asked()).toBe(18);
      const evaluated = await runCapo(['eval', report.samples, '--resamples', '50', '--json']);
      expect(JSON.parse(evaluated.stdout).groups[0]).toMatchObject({ problems: 3, samples: 18 });
    } finally {
      await server.stop();
    }
  });

  it.skipIf(!existsSync(stories))('draws from a model of this process', async () => {
    const flags = ['--model', stories, '--benchmark', problems, '--runs', join(folder, 'runs'), '--n', '2'];
    const local = ['sample', ...flags, '--route', 'completions', '--max-tokens', '12', '--instruction', ''];
    const first = JSON.parse((await runCapo([...local, '--json'])).stdout);
    expect(first).toMatchObject({ before: 0, added: 6, capabilities: null });
    const samples = readFileSync(first.samples, 'utf8').trimEnd().split('\n');
    const sample = JSON.parse(samples[0]);
    expect(sample).toMatchObject({
      prompt: 'problem 1',
      tokens: 12,
      stop: 'length',
      logprob: { semantics: 'processed' },
    });
    const again = await runCapo(local);
    expect(again.stdout).toContain('0 samples added to the 6');
    const plan = JSON.parse((await runCapo([...local, '--dry-run', '--json'])).stdout);
    expect(plan).toMatchObject({ total: 6, finished: 6, requests: 0, exact: true });
  });

  it('prints requests and cost of a dry run without a server', async () => {
    const nowhere = 'http://127.0.0.1:9/v1';
    const { code, stdout } = await runCapo(args(nowhere, { limit: '2', system: 'Be brief.' }, '--dry-run', '--json'));
    expect(code).toBe(0);
    const plan = JSON.parse(stdout);
    expect(plan).toMatchObject({ total: 8, finished: 0, requests: 8, exact: false, maxResponseTokens: 8 });
    expect(plan.request).toMatchObject({
      model: 'mock',
      messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
      max_tokens: 1,
      temperature: 1,
      logprobs: true,
    });
    expect(existsSync(join(folder, 'runs'))).toBe(false);
  });

  it('ends with 3 and everything kept when the server fails, and with 2 for bad input', async () => {
    const server = await MockServer.start({
      misbehave: (body) => (JSON.stringify(body).includes('problem 2') ? { kind: 'status', status: 500 } : undefined),
    });
    const address = server.url;
    try {
      const failed = await runCapo(args(server.url, { 'max-retries': '0' }));
      expect(failed.code).toBe(3);
      expect(failed.stderr).toMatch(/4 of 12 requests failed/);
      expect(failed.stderr).toMatch(/run the same command again and only the failed ones/);
      const [run] = readdirSync(join(folder, 'runs'));
      const file = join(folder, 'runs', run, 'samples.jsonl');
      expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(8);
      for (const [bad, message] of [
        [{ ids: 'p9' }, /has no problem "p9"/],
        [{ temperature: 'hot' }, /--temperature is "hot"/],
        [{ benchmark: 'aime99' }, /There is no problem set "aime99"/],
        [{ model: 'other' }, /has no model "other"/],
      ] as const) {
        const { code, stderr } = await runCapo(args(server.url, bad));
        expect(stderr).toMatch(message);
        expect(code).toBe(2);
      }
    } finally {
      await server.stop();
    }
    const nowhere = await runCapo(args(address));
    expect(nowhere.code).toBe(3);
    expect(nowhere.stderr).toMatch(/no server answers there: the connection was refused/);
    expect(nowhere.stderr).toMatch(/Check that the server runs/);
  });
});

describe('capo model', () => {
  it('pulls, converts and inspects', async () => {
    const files = Object.fromEntries(
      ['config.json', 'model.safetensors'].map((name) => [name, readFileSync(join(fixtures, 'qwen2', name))]),
    );
    const hub = await MockHub.start(files);
    const environment = { HF_HOME: join(folder, 'hf'), HF_ENDPOINT: hub.url, HF_TOKEN: 'hf_secret' };
    try {
      const pulled = await runCapo(['model', 'pull', 'owner/model'], environment);
      expect(pulled.code).toBe(0);
      expect(pulled.stdout).toMatch(/fetched .*model.safetensors/);
      expect(pulled.stdout + pulled.stderr).not.toContain('hf_secret');
    } finally {
      await hub.stop();
    }
    const out = join(folder, 'f32');
    const convert = ['model', 'convert', 'owner/model', '--dtype', 'F32', '--out', out];
    expect((await runCapo(convert, environment)).stdout).toContain('27 tensors');
    const inspected = await runCapo(['model', 'inspect', out, '--json'], environment);
    expect(inspected.code).toBe(0);
    expect(inspected.stderr).toContain('Warning: ');
    expect(JSON.parse(inspected.stdout)).toMatchObject({ config: { model_type: 'qwen2' }, storage: { F32: 27 } });
    const text = await runCapo(['model', 'inspect', out]);
    expect(text.stdout).toMatch(/qwen2, 0.0 M parameters/);
  });

  it('loads weights in at most 1.2 times their size in float32', () => {
    const sizes = { vocab_size: 20_000, hidden_size: 1024, intermediate_size: 4096, num_hidden_layers: 14 };
    const json = { model_type: 'llama', ...sizes, num_attention_heads: 16, tie_word_embeddings: true };
    const config = parseModelConfig(json, 'test');
    const large = join(folder, 'large');
    const zeros = (shape: number[]): TensorSource => ({
      dtype: 'BF16',
      shape,
      read: (start = 0, end = 0) => new Float32Array(end - start),
    });
    writeWeights(large, new Map([...expectedTensors(config)].map(([name, shape]) => [name, zeros(shape)])));
    writeFileSync(join(large, 'config.json'), JSON.stringify(json));
    const code = `import { loadPretrained, useBackend } from '@capo/model';
      await useBackend();
      const before = process.resourceUsage().maxRSS;
      loadPretrained(${JSON.stringify(large)});
      console.log((process.resourceUsage().maxRSS - before) * 1024);`;
    const options = { encoding: 'utf8', cwd: fileURLToPath(new URL('..', import.meta.url)) } as const;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], options);
    expect(stderr).toBe('');
    // 255 M parameters: 1.02 GB.
    expect(Number(stdout)).toBeLessThan(1.2 * 4 * parameterCount(config));
  });

  it('names what is wrong', async () => {
    const none = await runCapo(['model', 'inspect', 'Qwen/Qwen2.5-0.5B'], { HF_HOME: folder });
    expect(none.code).toBe(2);
    expect(none.stderr).toMatch(/is not on this machine/);
    expect(none.stderr).toMatch(/capo model pull Qwen\/Qwen2.5-0.5B/);
    const noOut = await runCapo(['model', 'convert', join(fixtures, 'qwen2.gguf')]);
    expect(noOut.code).toBe(2);
    expect(noOut.stderr).toMatch(/--out is missing/);
  });
});
