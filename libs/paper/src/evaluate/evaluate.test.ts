import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sample, stream, toJsonLine, type Verdict } from '@capo/samples';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FigureSpec, LineSeries } from '../figure/figure-spec.js';
import { sampleRecord } from '../testing/sample-record.js';
import { abstention, targetPrecision } from './abstention.js';
import { abstentionTable, evaluateSamples, evaluationTable } from './evaluate-samples.js';
import { metricsReport, metricsTable } from './metrics-report.js';
import { plotFigure } from './plots.js';
import { readGroups } from './read-groups.js';
import { SampleColumns, type Signal } from './sample-columns.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-evaluate-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

let drawn = 0;

function sample(problemId: string, verdict: Verdict, mean: number | null, confidence?: number): Sample {
  const drawIndex = drawn++;
  return sampleRecord({
    problemId,
    drawIndex,
    answer: verdict === 'no-answer' ? null : '1',
    verdict,
    logprob: mean === null ? null : { sum: 2 * mean, mean, semantics: 'raw', temperature: 1, eosCounted: true },
    ...(confidence !== undefined && { confidence }),
  });
}

/** Two problems; the surest answers are right, one grader failed, one reply has no answer, one has no log-probability. */
const samples = () => [
  sample('a', 'correct', Math.log(0.9), 0.9),
  sample('a', 'wrong', Math.log(0.5), 0.5),
  sample('a', 'grader-error', Math.log(0.99), 0.99),
  sample('b', 'correct', Math.log(0.8), 0.8),
  sample('b', 'no-answer', Math.log(0.4), 0.4),
  sample('b', 'wrong', null, 7),
];

function columnsOf(items: readonly Sample[], signal: Signal = 'mean-logprob'): SampleColumns {
  const columns = new SampleColumns(signal);
  for (const item of items) columns.add(item);
  return columns;
}

const write = (name: string, items: readonly Sample[]) => {
  const path = join(folder, name);
  writeFileSync(path, items.map((item) => `${toJsonLine(item)}\n`).join(''));
  return path;
};

describe('sample columns', () => {
  it('leaves failed gradings out, counts no answer as not correct, and scores only what has the signal', () => {
    const columns = columnsOf(samples());
    expect([columns.samples, columns.ungraded, columns.noAnswer, columns.withoutSignal]).toEqual([6, 1, 1, 1]);
    expect([...columns.graded().labels]).toEqual([1, 0, 1, 0, 0]);
    expect([...columns.withSignal().labels]).toEqual([1, 0, 1, 0]);
    expect([...(columns.probabilities() ?? [])].map((p) => p.toFixed(3))).toEqual(['0.900', '0.500', '0.800', '0.400']);
  });

  it('takes a confidence outside [0, 1] for a rank and not for a probability', () => {
    expect(columnsOf(samples(), 'confidence').probabilities()).toBeNull();
    expect(columnsOf(samples().slice(0, 5), 'confidence').probabilities()?.length).toBe(4);
    expect(columnsOf(samples(), 'sum-logprob').probabilities()).toBeNull();
  });
});

describe('evaluateSamples', () => {
  it('computes what can be worked by hand', async () => {
    const path = write('a.jsonl', samples());
    const [group] = await evaluateSamples([path], {
      signal: 'mean-logprob',
      by: 'benchmark',
      seed: 1,
      abstain: true,
      targetPrecision: undefined,
    });
    // Problem a: 1 of 2 graded; problem b: 1 of 3. Every right answer is surer than every wrong one.
    expect(group.accuracy.value).toBeCloseTo((1 / 2 + 1 / 3) / 2, 12);
    expect(group.auc.value).toBe(1);
    expect(group.perPromptAuc.value).toBe(1);
    // Bins of width 1/15 hold one answer each: gaps .1, .5, .2, .4, mean .3.
    expect(group.ece.value).toBeCloseTo(0.3, 12);
    expect([...(group.abstention?.curve.precision ?? [])]).toEqual([1, 1, 2 / 3, 1 / 2]);
    const { notes } = evaluationTable([group], 'mean-logprob');
    expect(notes.join('\n')).toContain('1 samples have no verdict');
    expect(notes.join('\n')).toContain('1 samples lack the signal');
  });

  it('says what is undefined and why instead of failing', async () => {
    const path = write('a.jsonl', [sample('a', 'correct', -0.1), sample('b', 'correct', -0.2)]);
    const [group] = await evaluateSamples([path], { signal: 'mean-logprob', by: 'run', seed: 1, abstain: false });
    expect(group.accuracy.value).toBe(1);
    expect(group.auc).toMatchObject({ value: null, low: null });
  });

  it('refuses files without samples', async () => {
    const path = write('empty.jsonl', []);
    const options = { signal: 'mean-logprob', by: 'benchmark', seed: 1, abstain: false } as const;
    await expect(evaluateSamples([path], options)).rejects.toThrow('no samples');
  });
});

describe('targetPrecision', () => {
  it('finds a threshold on half of the problems and reports it on the other half', () => {
    const random = stream(3, 'target');
    const items = Array.from({ length: 400 }, (_, i) => {
      const confidence = random.uniform();
      return sample(`p${i}`, random.uniform() < confidence ? 'correct' : 'wrong', Math.log(confidence));
    });
    const result = targetPrecision(columnsOf(items), 0.8, stream(1, 'split'));
    expect(result.found?.precision).toBeGreaterThanOrEqual(0.8);
    expect(result.held?.samples).toBe(200);
    // The accuracy above a confidence c is (1 + c) / 2, so 0.8 is reached at about c = 0.6.
    expect(Math.exp(result.threshold as number)).toBeGreaterThan(0.4);
    const { value, low, high } = result.held?.precision ?? {};
    expect(Math.abs((value as number) - 0.8)).toBeLessThan(0.12);
    // One sample a problem, so that the bootstrap is the binomial's: +-1.96 standard errors of a proportion.
    const error = Math.sqrt(((value as number) * (1 - (value as number))) / (result.held?.answered as number));
    expect(((high as number) - (low as number)) / (2 * 1.96 * error)).toBeCloseTo(1, 0);
    expect(targetPrecision(columnsOf(items), 0.8, stream(1, 'split'))).toEqual(result);
  });

  it('says so when nothing reaches the target', () => {
    const items = [sample('a', 'wrong', -1), sample('b', 'wrong', -2)];
    expect(targetPrecision(columnsOf(items), 0.5, stream(1, 'split'))).toMatchObject({ threshold: null, held: null });
  });
});

describe('abstention', () => {
  it('answers with equal confidence together', () => {
    const items = [sample('a', 'correct', -1), sample('a', 'wrong', -1), sample('a', 'wrong', -2)];
    const { table } = abstention(columnsOf(items), { random: stream(1, 'test').uniform, resamples: 100 });
    // Any coverage up to two thirds means both answers of confidence -1.
    expect(table.find(({ wanted }) => wanted === 0.1)).toMatchObject({ coverage: 2 / 3, precision: 0.5 });
  });
});

describe('notes', () => {
  it('count replies without an answer, failures of the grader, and problems without a pair', async () => {
    const items = [...samples(), sample('a', 'timeout', -1), sample('c', 'wrong', -3)];
    const options = { signal: 'mean-logprob', by: 'benchmark', seed: 1, resamples: 20, abstain: true } as const;
    const groups = await evaluateSamples([write('notes.jsonl', items)], options);
    const notes = evaluationTable(groups, 'mean-logprob').notes.join('\n');
    expect(notes).toContain('1 of 8 replies have no answer');
    expect(notes).toContain('2 samples have no verdict because their grader failed (1 errors, 1 timeouts)');
    expect(notes).toContain('AUC within prompts leaves out 1 problems');
  });

  it('show all columns when the first group lacks the signal', async () => {
    const bare = { ...sample('z', 'wrong', null), benchmark: 'another' };
    const options = { signal: 'mean-logprob', by: 'benchmark', seed: 1, resamples: 20, abstain: true } as const;
    const groups = await evaluateSamples([write('first.jsonl', [bare, ...samples()])], options);
    const { header, rows } = abstentionTable(groups);
    expect(header).toHaveLength(7);
    expect(rows[0].slice(1)).toEqual(Array(6).fill('n/a'));
    expect(rows[1][6]).toMatch(/^0\.\d+ \[/);
  });
});

describe('metricsReport', () => {
  const options = { signal: 'mean-logprob', bins: 15, ci: 'delong', seed: 1, resamples: 50 } as const;

  it('has every metric of every group, each with a value or a reason', async () => {
    const groups = await readGroups([write('a.jsonl', samples())], { signal: 'mean-logprob', by: 'benchmark' });
    const rows = metricsReport(groups, options);
    const value = (metric: string) => rows.find((row) => row.metric === metric)?.value;
    expect(value('pass@1')).toBeCloseTo(5 / 12, 12);
    expect(value('pass@2')).toBeCloseTo((1 + 2 / 3) / 2, 12);
    expect(value('AUC')).toBe(1);
    // (0.1^2 + 0.5^2 + 0.2^2 + 0.4^2) / 4
    expect(value('Brier score')).toBeCloseTo(0.115, 12);
    for (const row of rows) expect(row.value !== null || row.reason, row.metric).toBeTruthy();
    const table = metricsTable(rows, groups, options);
    expect(table.notes.join('\n')).toContain('too narrow');
    expect(table.rows[0]).toEqual(['problems', '2']);
  });
});

describe('plotFigure', () => {
  const options = { seed: 1, resamples: 20, bins: 5 };
  const groups = (items = samples(), signal: Signal = 'mean-logprob') => new Map([['g', columnsOf(items, signal)]]);

  const seriesOf = (spec: FigureSpec, panel = 0, index = 0) =>
    spec.rows.flatMap(({ panels }) => panels)[panel].series[index];

  it('draws the curve of each kind', () => {
    // Ten times the same answers: fewer than ten answers are not drawn.
    const many = Array.from({ length: 10 }, () => samples()).flat();
    const pc = seriesOf(plotFigure('precision-coverage', groups(many), options));
    expect(pc).toMatchObject({ points: [{ y: 1 }, { y: 1 }, { y: 2 / 3 }, { y: 1 / 2 }] });
    expect((pc as LineSeries).band).toHaveLength(38);
    const roc = seriesOf(plotFigure('roc', groups(), options));
    expect((roc as LineSeries).points.map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [0, 0.5],
      [0, 1],
      [0.5, 1],
      [1, 1],
    ]);
    const reliability = plotFigure('reliability', groups(), options);
    // Confidences .9, .5, .8, .4 in fifths: (.2, .4] holds .4, (.4, .6] .5, (.6, .8] .8, (.8, 1] .9.
    expect(seriesOf(reliability, 1)).toMatchObject({ bars: [{ to: 0 }, { to: 1 }, { to: 1 }, { to: 1 }, { to: 1 }] });
    // Gaps of .1, .5, .2 and .4, one answer each.
    expect(reliability.rows[0].panels[0].note?.text).toBe('ECE 0.300');
  });

  it('refuses what cannot be drawn, by name', () => {
    expect(() => plotFigure('reliability', groups(samples(), 'sum-logprob'), options)).toThrow(
      'g: the signal sum-logprob',
    );
    expect(() => plotFigure('roc', groups([sample('a', 'correct', -1)]), options)).toThrow('no answer is wrong');
  });
});
