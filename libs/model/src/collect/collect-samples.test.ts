import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ExternalError, loadSamples, type Sample, stream } from '@capo/samples';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MockServer } from '../endpoint/testing/mock-server.js';
import type { Drawn, Policy, PromptRequest } from '../policy.js';
import { collectSamples } from './collect-samples.js';
import { planCost } from './plan-cost.js';
import { planDraws } from './plan-draws.js';
import { collectArguments } from './testing/collect-arguments.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-collect-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A policy that answers from its seed, and fails where it is told. */
class FakePolicy implements Policy {
  readonly name = 'fake';
  readonly asked: string[] = [];

  constructor(private readonly failsAt: (request: PromptRequest) => boolean = () => false) {}

  async *sample(requests: readonly PromptRequest[]): AsyncGenerator<Drawn> {
    let failed = 0;
    for (const request of requests) {
      this.asked.push(request.id);
      if (this.failsAt(request)) failed++;
      else yield { request, completion: this.answer(request) };
    }
    if (failed > 0) throw new ExternalError(`${failed} failed`);
  }

  async score(): Promise<NonNullable<Sample['logprob']>> {
    throw new Error('not part of these tests');
  }

  async close(): Promise<void> {}

  private answer({ seed }: PromptRequest): Drawn['completion'] {
    return { response: String((seed % 4) + 1), tokens: 1, logprob: null, stop: 'eos', seed };
  }
}

describe('collectSamples', () => {
  it('writes each draw of each problem with its verdict', async () => {
    const path = join(folder, 'plain.jsonl');
    const { problems, judge, options } = collectArguments(path, 3, 4);
    const progress: [number, number][] = [];
    const onProgress = (done: number, total: number) => progress.push([done, total]);
    const result = await collectSamples(new FakePolicy(), problems, judge, { ...options, onProgress });
    expect(result).toEqual({ before: 0, added: 12 });
    expect(progress.at(-1)).toEqual([12, 12]);
    const samples = await loadSamples([path]);
    expect(samples).toHaveLength(12);
    const sample = samples.find(({ id }) => id === 'test/mock/p1#2')!;
    const expected = String((sample.seed! % 4) + 1);
    expect(sample).toMatchObject({
      run: 'test',
      benchmark: 'mock',
      problemId: 'p1',
      drawIndex: 2,
      prompt: 'problem 1',
      response: expected,
      answer: expected,
      gold: '2',
      verdict: expected === '2' ? 'correct' : 'wrong',
      verdictReason: 'last-digit',
      sampler: 'fake',
      graderVersion: 'last-digit/1',
    });
  });

  it('asks only for what the file lacks, and writes no failure', async () => {
    const path = join(folder, 'resume.jsonl');
    const { problems, judge, options } = collectArguments(path, 5, 4);
    const failing = new FakePolicy(({ id }) => id.endsWith('p2#1') || id.endsWith('p4#3'));
    await expect(collectSamples(failing, problems, judge, options)).rejects.toThrow('2 failed');
    expect(await loadSamples([path])).toHaveLength(18);
    const second = new FakePolicy();
    expect(await collectSamples(second, problems, judge, options)).toEqual({ before: 18, added: 2 });
    expect(second.asked).toEqual(['test/mock/p2#1', 'test/mock/p4#3']);
    const third = new FakePolicy();
    expect(await collectSamples(third, problems, judge, options)).toEqual({ before: 20, added: 0 });
    expect(third.asked).toEqual([]);
    // More draws are only added.
    const more = new FakePolicy();
    await collectSamples(more, problems, judge, { ...options, draws: 5 });
    expect(more.asked).toHaveLength(5);
  });

  it.each([
    ['cut off', (line: string) => line.slice(0, 40)],
    ['whole but without its line break', (line: string) => line],
  ])('draws the last sample again when its line is %s', async (name, cut) => {
    const path = join(folder, `tail-${name.length}.jsonl`);
    const { problems, judge, options } = collectArguments(path, 2, 2);
    await collectSamples(new FakePolicy(), problems, judge, options);
    const whole = readFileSync(path, 'utf8');
    const lines = whole.trimEnd().split('\n');
    writeFileSync(path, `${lines.slice(0, 3).join('\n')}\n`);
    appendFileSync(path, cut(lines[3]));
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    const result = await collectSamples(new FakePolicy(), problems, judge, { ...options, onWarning });
    expect(result).toEqual({ before: 3, added: 1 });
    expect(readFileSync(path, 'utf8')).toBe(whole);
    expect(warnings).toHaveLength(1);
  });

  it('does not take an edited problem for the one that was asked', async () => {
    const path = join(folder, 'edited.jsonl');
    const { problems, judge, options } = collectArguments(path, 3, 2);
    await collectSamples(new FakePolicy(), problems, judge, options);
    for (const change of [{ prompt: 'another question' }, { gold: '99' }]) {
      const edited = problems.map((problem, i) => (i === 1 ? { ...problem, ...change } : problem));
      await expect(collectSamples(new FakePolicy(), edited, judge, options)).rejects.toThrow(/"test\/mock\/p1#0" has/);
    }
    expect(await loadSamples([path])).toHaveLength(6);
  });

  it('waits for every verdict before it reports a failing judge', async () => {
    const path = join(folder, 'judge.jsonl');
    const { problems, judge, options } = collectArguments(path, 4, 1);
    let judged = 0;
    const broken = {
      version: 'broken/1',
      grade: async (requests: readonly { response: string; gold: string }[]) => {
        if (++judged === 2) throw new Error('the judge broke');
        return judge.grade(requests);
      },
    };
    await expect(collectSamples(new FakePolicy(), problems, broken, options)).rejects.toThrow('the judge broke');
    expect((await loadSamples([path])).length).toBeLessThan(4);
    expect(await collectSamples(new FakePolicy(), problems, judge, options)).toMatchObject({
      added: expect.any(Number),
    });
    expect(await loadSamples([path])).toHaveLength(4);
  });

  it('ends with each sample exactly once after being killed at 50 random moments', async () => {
    const path = join(folder, 'killed.jsonl');
    const script = await bundleChild();
    const server = await MockServer.start({ misbehave: () => ({ kind: 'delay', ms: 10 }) });
    const run = () => spawn(process.execPath, [script, server.url, path], { stdio: 'inherit' });
    const random = stream(7, 'kill');
    try {
      for (let i = 0; i < 50; i++) {
        const child = run();
        const closed = new Promise((resolve) => child.on('close', resolve));
        // Measured from the first request for a draw, so that the kills fall into the work on a slow machine too.
        const asked = drawsAsked(server);
        while (child.exitCode === null && drawsAsked(server) === asked) await sleep(2);
        await Promise.race([sleep(40 * random.uniform()), closed]);
        child.kill('SIGKILL');
        await closed;
      }
      const before = readFileSync(path, 'utf8').split('\n').length;
      const last = run();
      expect(await new Promise((resolve) => last.on('close', resolve))).toBe(0);
      const samples = await loadSamples([path]);
      const { problems, options } = collectArguments(path);
      const wanted = planDraws(problems, options, new Set()).map(({ request }) => request.id);
      expect(samples.map(({ id }) => id).sort()).toEqual(wanted.sort());
      // The kills must have fallen into the work, and only requests in flight at a kill may have been asked twice.
      expect(before).toBeGreaterThan(20);
      expect(drawsAsked(server)).toBeLessThanOrEqual(wanted.length + 50 * 4);
    } finally {
      await server.stop();
    }
  });
});

/** How many draws a server has been asked for; probes of what it can do are none. */
function drawsAsked(server: MockServer): number {
  return server.requests.filter(({ prompt }) => String(prompt).startsWith('problem ')).length;
}

/** The child process as one plain JavaScript file, made from the sources as they are now. */
async function bundleChild(): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@capo/source'] },
    ssr: { noExternal: true, resolve: { conditions: ['@capo/source', 'node', 'import', 'default'] } },
    build: {
      ssr: fileURLToPath(new URL('testing/collect-child.ts', import.meta.url)),
      outDir: join(folder, 'child'),
      rollupOptions: { output: { entryFileNames: 'child.mjs' } },
    },
  });
  return join(folder, 'child', 'child.mjs');
}

describe('planCost', () => {
  it('counts what is left, with each prompt as often as it is asked', async () => {
    const path = join(folder, 'cost.jsonl');
    const { problems, judge, options } = collectArguments(path, 2, 3);
    const fails = new FakePolicy(({ id }) => id.includes('p1'));
    await expect(collectSamples(fails, problems, judge, options)).rejects.toThrow();
    const plan = await planCost(problems, { ...options, tokenizer: null });
    // "problem 1" has 9 letters: 3 tokens at 3.5 letters each, three times.
    expect(plan).toMatchObject({ total: 6, finished: 3, requests: 3, promptTokens: 9, exact: false });
    expect(plan.maxResponseTokens).toBe(24);
    expect(plan.first?.id).toBe('test/mock/p1#0');
  });
});

describe('planDraws', () => {
  it('gives each draw a seed of its own that depends on nothing else', () => {
    const { problems, options } = collectArguments('x', 10, 8);
    const all = planDraws(problems, options, new Set());
    expect(new Set(all.map(({ request }) => request.seed)).size).toBe(80);
    expect(all.every(({ request }) => request.seed >= 0 && request.seed < 2 ** 31)).toBe(true);
    const some = planDraws(problems.slice(7, 8), { ...options, draws: 2 }, new Set());
    expect(some[1]).toEqual(all.find(({ request }) => request.id === some[1].request.id));
    const other = planDraws(problems, { ...options, seed: 2 }, new Set());
    expect(other[0].request.seed).not.toBe(all[0].request.seed);
  });

  it('refuses a problem that occurs twice', () => {
    const { problems, options } = collectArguments('x', 2, 1);
    expect(() => planDraws([...problems, problems[0]], options, new Set())).toThrow(/"p0" of mock occurs twice/);
  });
});
