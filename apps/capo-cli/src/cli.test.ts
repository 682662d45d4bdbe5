import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCapo, startCapo } from './testing/run-capo.js';

let folder: string;
const path = (...parts: string[]) => join(folder, ...parts);

/** The smallest protocol that still trains, evaluates and reports. */
const TINY = `
base:
  task: { trainingPool: 12, validation: 4, suite: 4 }
  model: { hidden_size: 16, intermediate_size: 32, num_attention_heads: 2, num_key_value_heads: 1 }
  steps: 40
  batchSize: 8
  checkpointEvery: 10
train:
  { steps: 6, promptsPerStep: 4, groupSize: 4, minibatchPrompts: 2, evaluateEvery: 3, evaluationDraws: 4, checkpointEvery: 2 }
`;

const reproduceArgs = (name: string) => [
  'reproduce',
  'table2',
  ...['--config', path('tiny.yaml'), '--methods', 'grpo,capo-no-mask'],
  ...['--runs', path(name, 'runs'), '--out', path(name, 'out')],
];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-cli-'));
  writeFileSync(path('tiny.yaml'), TINY);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The scripts that a run of `capo` loaded, from V8's coverage of it. */
async function loadedScripts(args: string[]): Promise<string[]> {
  const coverage = mkdtempSync(path('coverage-'));
  await runCapo(args, { NODE_V8_COVERAGE: coverage });
  return readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as { result: { url: string }[] };
    return result.map(({ url }) => url);
  });
}

describe('start-up', () => {
  it.each([[['--version']], [['--help']], [['reproduce', '--help']]])('%j loads no tensor library', async (args) => {
    const scripts = await loadedScripts(args);
    expect(scripts.some((url) => url.includes('oclif'))).toBe(true);
    expect(scripts.filter((url) => url.includes('tensorflow'))).toEqual([]);
  });
});

describe('doctor', () => {
  it('prints one JSON document that names the wasm backend as usable', async () => {
    const { code, stdout } = await runCapo(['doctor', '--json']);
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.node).toBe(process.version);
    expect(report.backends.find(({ name }: { name: string }) => name === 'wasm').usable).toBe(true);
  });
});

describe('bad usage', () => {
  it.each([
    [['eval'], 'samples'],
    [['eval', 'none.jsonl'], 'Cannot read none.jsonl'],
    [['eval', 'x.jsonl', '--target-precision', '2'], '--target-precision is 2'],
    [['reproduce', 'tabel2'], 'Did you mean "table2"?'],
    [['reproduce', '--methods', 'grpo,cappo'], 'Did you mean "capo"?'],
    [['train'], 'No method is given'],
    [['train', '--method', 'grpo', '--config', 'none.yaml'], 'Cannot read none.yaml'],
  ])('%j exits with 2 and says why', async (args, message) => {
    const { code, stdout, stderr } = await runCapo(args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).toBe('');
  });

  it('prints one JSON document on stdout for an error with --json', async () => {
    for (const args of [
      ['reproduce', 'tabel2', '--json'],
      ['eval', '--bogus', 'x', '--json'],
    ]) {
      const { code, stdout } = await runCapo(args);
      expect(code).toBe(2);
      const { error } = JSON.parse(stdout);
      expect(error.exitCode).toBe(2);
      expect(Object.keys(error).sort()).toEqual(['exitCode', 'message', 'name', 'remedy']);
    }
  });

  it('names unknown keys and impossible sizes in a configuration', async () => {
    writeFileSync(path('unknown.yaml'), 'lerningRate: 1');
    const unknown = await runCapo(['train', '--method', 'grpo', '--config', path('unknown.yaml')]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('unknown key "lerningRate". Did you mean "learningRate"?');
    writeFileSync(path('sizes.yaml'), 'base: { model: { hidden_size: 66 } }');
    const runs = ['--runs', path('sizes')];
    const sizes = await runCapo(['train', '--method', 'grpo', '--config', path('sizes.yaml'), ...runs]);
    expect(sizes.code).toBe(2);
    expect(sizes.stderr).toContain('hidden_size 66 is not a multiple of num_attention_heads 4');
    writeFileSync(path('pool.yaml'), 'base: { task: { trainingPool: 0 } }');
    const pool = await runCapo(['train', '--method', 'grpo', '--config', path('pool.yaml'), ...runs]);
    expect(pool.code).toBe(2);
    expect(pool.stderr).toContain('an empty training pool leaves nothing to train on');
  });

  it('names the line of a bad sample', async () => {
    writeFileSync(path('bad.jsonl'), '{"schema":"capo.sample/1"}\n');
    const { code, stderr } = await runCapo(['eval', path('bad.jsonl')]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${path('bad.jsonl')}:1: not a sample record`);
  });

  it('names a folder of runs that is none', async () => {
    writeFileSync(path('file'), '');
    const { code, stderr } = await runCapo(['train', '--method', 'grpo', '--runs', path('file')]);
    expect([2, 3]).toContain(code);
    expect(stderr).toContain(path('file'));
  });
});

describe('reproduce', () => {
  it('trains, prints, writes, and a second call only prints', async () => {
    const first = await runCapo(reproduceArgs('whole'));
    expect(first.stderr).not.toContain('Error');
    expect(first.code).toBe(0);
    expect(first.stdout).toContain('grpo');
    expect(readdirSync(path('whole', 'out')).sort()).toEqual([
      'table2-toy-curves.pdf',
      'table2-toy-curves.png',
      'table2-toy-curves.svg',
      'table2-toy.csv',
      'table2-toy.json',
      'table2-toy.md',
    ]);
    const second = await runCapo([...reproduceArgs('whole'), '--json']);
    expect(second.code).toBe(0);
    // No training, so no progress.
    expect(second.stderr).toBe('');
    const report = JSON.parse(second.stdout);
    expect(report.methods).toEqual(['grpo', 'capo-no-mask']);
    // 6 metrics, 3 rows, 6 suites and their mean.
    expect(report.cells).toHaveLength(126);
  });

  it('ends with the same table when it is interrupted, killed and started again', async () => {
    const interrupted = startCapo(reproduceArgs('stopped'));
    await interrupted.says('base model');
    interrupted.child.kill('SIGINT');
    const { code, stderr } = await interrupted.result;
    expect(code).toBe(3);
    expect(stderr).toContain('Run the same command again');
    expect(stderr).not.toMatch(/^\s+at /m);

    const killed = startCapo(reproduceArgs('stopped'));
    await killed.says('base model');
    killed.child.kill('SIGKILL');
    await killed.result;

    expect((await runCapo(reproduceArgs('stopped'))).code).toBe(0);
    const table = (name: string) => readFileSync(path(name, 'out', 'table2-toy.csv'), 'utf8');
    expect(table('stopped')).toBe(table('whole'));
  });
});

describe('eval', () => {
  it('prints metrics, the abstention table and a threshold of a finished run, and writes the figure', async () => {
    const run = readdirSync(path('whole', 'runs')).find((name) => name.startsWith('train-')) as string;
    const samples = path('whole', 'runs', run, 'samples.jsonl');
    const out = path('whole', 'eval');
    const args = ['eval', samples, '--abstain', '--target-precision', '0.5', '--out', out];
    const { code, stdout } = await runCapo(args);
    expect(code).toBe(0);
    expect(stdout).toContain('chain3-unseen');
    expect(stdout).toContain('Precision when only the surest answers are given');
    expect(readdirSync(out).sort()).toEqual(['pdf', 'png', 'svg'].map((format) => `precision-coverage.${format}`));
    const json = JSON.parse((await runCapo([...args, '--json'])).stdout);
    expect(json.groups).toHaveLength(6);
    // Four problems, four draws.
    expect(json.groups[0]).toMatchObject({ problems: 4, samples: 16, graderErrors: 0, timeouts: 0 });
  });
});

describe('metrics and plot', () => {
  const samplesOf = (name: string) => {
    const runs = readdirSync(path(name, 'runs')).filter((run) => run.startsWith('train-'));
    return runs.map((run) => path(name, 'runs', run, 'samples.jsonl'));
  };

  it('prints all metrics of several files as text, CSV, LaTeX and JSON', async () => {
    const args = ['metrics', ...samplesOf('whole'), '--by', 'run', '--resamples', '20'];
    const text = await runCapo(args);
    expect(text.code).toBe(0);
    expect(text.stdout).toContain('AUC within prompts');
    const csv = await runCapo([...args, '--csv']);
    expect(csv.stdout.split('\r\n')[0]).toBe('group,metric,value,low,high,reason');
    const latex = await runCapo([...args, '--latex']);
    expect(latex.stdout).toContain('\\begin{tabular}');
    const json = JSON.parse((await runCapo([...args, '--json'])).stdout);
    // Two runs, six suites.
    expect(new Set(json.rows.map(({ group }: { group: string }) => group)).size).toBe(12);
  });

  it.each(['reliability', 'precision-coverage'])('draws %s in three formats', async (figure) => {
    const out = path('plots', figure);
    const { code } = await runCapo(['plot', figure, ...samplesOf('whole'), '--resamples', '20', '--out', out]);
    expect(code).toBe(0);
    expect(readdirSync(out).sort()).toEqual(['pdf', 'png', 'svg'].map((format) => `${figure}.${format}`));
  });

  it('refuses unknown figures, signals and empty files', async () => {
    expect((await runCapo(['plot', 'pie', samplesOf('whole')[0]])).code).toBe(2);
    const signal = await runCapo(['metrics', samplesOf('whole')[0], '--signal', 'mood']);
    expect(signal.code).toBe(2);
    expect(signal.stderr).toContain('There is no signal "mood"');
    writeFileSync(path('empty.jsonl'), '');
    const empty = await runCapo(['metrics', path('empty.jsonl')]);
    expect(empty.code).toBe(2);
    expect(empty.stderr).toContain('no samples');
  });
});
