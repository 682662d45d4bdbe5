import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sample, toJsonLine, type Verdict } from '@capo/samples';
import { METHOD_DEFAULTS } from '@capo/tts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleRecord } from '../testing/sample-record.js';
import { readDraws } from './read-draws.js';
import { compareScaling, type ScalingOptions, scalingReport, voteAbstention } from './scaling-report.js';
import { differenceTable, scalingCurves, scalingTable, voteAbstentionTable } from './scaling-tables.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-tts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function sample(
  problemId: string,
  drawIndex: number,
  answer: string | null,
  verdict: Verdict,
  more: Partial<Sample> = {},
): Sample {
  return sampleRecord({
    problemId,
    drawIndex,
    response: `${answer} ${drawIndex}`,
    tokens: 10,
    answer,
    gold: '1/2',
    verdict,
    logprob: {
      sum: -1 - drawIndex,
      mean: -0.1 - 0.1 * drawIndex,
      semantics: 'processed',
      temperature: 1,
      eosCounted: true,
    },
    ...more,
  });
}

/** Two problems of four draws: one is mostly right in two notations, the other mostly wrong, its surest draw right. */
const samples = () => [
  sample('a', 0, '0.5', 'correct'),
  sample('a', 1, '\\frac{1}{2}', 'correct'),
  sample('a', 2, '3', 'wrong'),
  sample('a', 3, '3', 'wrong'),
  sample('b', 0, '7', 'correct', { gold: '7' }),
  sample('b', 1, '8', 'wrong', { gold: '7' }),
  sample('b', 2, '8', 'wrong', { gold: '7' }),
  sample('b', 3, null, 'no-answer', { gold: '7' }),
];

function write(name: string, items: readonly Sample[]): string {
  const path = join(folder, name);
  writeFileSync(path, items.map((item) => `${toJsonLine(item)}\n`).join(''));
  return path;
}

const options: ScalingOptions = {
  methods: 'all',
  n: [1, 2, 4, 8],
  seed: 1,
  resamples: 50,
  subsets: 20,
  settings: METHOD_DEFAULTS,
};

describe('readDraws', () => {
  it('puts equal answers in two notations into one class, and none for no answer', async () => {
    const { problems } = await readDraws([write('s.jsonl', samples())], {});
    expect(problems.map(({ answers, gold }) => [[...answers], gold])).toEqual([
      [[0, 0, 1, 1], 0],
      [[0, 1, 1, -1], 0],
    ]);
    expect(problems[0].lpm?.[1]).toBeCloseTo(-0.2, 12);
    expect(problems[0].greedy).toBeUndefined();
  });

  it('joins what was judged right without being found equal, and says so', async () => {
    const items = [sample('a', 0, 'half', 'correct'), sample('a', 1, '0.5', 'correct'), sample('a', 2, '3', 'timeout')];
    const { problems, notes } = await readDraws([write('s.jsonl', items)], {});
    expect([...problems[0].answers]).toEqual([0, 0, 2]);
    expect(notes.join(' ')).toContain('1 classes of answers were judged right');
    expect(notes.join(' ')).toContain('1 draws have no verdict');
  });

  it('takes the confidence field where every sample has one, and lpm otherwise', async () => {
    const scored = samples().map((item, i) => ({ ...item, confidence: i }));
    const own = await readDraws([write('own.jsonl', scored)], {});
    expect(own.notes[0]).toContain('confidence');
    expect([...(own.problems[0].confidence ?? [])]).toEqual([0, 1, 2, 3]);
    const without = await readDraws([write('without.jsonl', [...scored.slice(1), samples()[0]])], {});
    expect(without.notes[0]).toContain('mean-logprob');
  });
});

describe('scalingReport', () => {
  it('has each method by hand: at N = 4 a tie and a loss, by confidence a win each', async () => {
    const { problems } = await readDraws([write('s.jsonl', samples())], {});
    const report = scalingReport(problems, options);
    const at = (method: string, n: number) =>
      report.points.find((point) => point.method === method && point.n === n)?.accuracy.value;
    expect(at('single', 1)).toBeCloseTo((2 / 4 + 1 / 4) / 2, 12);
    // a: two against two; b: one against two.
    expect(at('majority', 4)).toBeCloseTo((0.5 + 0) / 2, 12);
    // The surest draw of either is right.
    expect(at('best-of-n', 4)).toBe(1);
    // a: e^-1 + e^-2 against e^-3 + e^-4; b: e^-1 against e^-2 + e^-3.
    expect(at('perplexity-consistency', 4)).toBe(1);
    expect(at('oracle', 1)).toBeCloseTo(3 / 8, 12);
    expect(at('oracle', 4)).toBe(1);
    expect(report.tooMany).toEqual([8]);
    expect(report.refused.map(({ method }) => method)).toContain('greedy');
    expect(report.points.find(({ method, n }) => method === 'majority' && n === 2)?.tokens).toBe(20);
    const text = JSON.stringify(scalingTable(report, ['noted']));
    expect(text).toContain('deepconf-mean-10 is refused: the samples lack logprob.perToken');
    expect(text).toContain('N = 8 is above the draws of some problem');
    expect(scalingCurves(report, 'draws').rows[0].panels[0].series.map(({ label }) => label)).toContain('majority');
  });

  it('refuses unknown methods with a suggestion, and counts that no problem has', async () => {
    const { problems } = await readDraws([write('s.jsonl', samples())], {});
    expect(() => scalingReport(problems, { ...options, methods: ['majorty'] })).toThrow('There is no method "majorty"');
    expect(() => scalingReport(problems, { ...options, n: [9] })).toThrow('fewest draws of a problem are 4');
    expect(() => scalingReport(problems, { ...options, methods: ['deepconf-mean-10'] })).toThrow(
      'needs logprob.perToken',
    );
  });
});

it('lets the draws of each run vote by themselves, and has one cluster a problem', async () => {
  const other = samples().map((item) => ({ ...item, id: `other ${item.id}`, run: 'other', verdict: 'wrong' as const }));
  const { problems } = await readDraws([write('s.jsonl', [...samples(), ...other])], {});
  expect(problems).toHaveLength(4);
  const report = scalingReport(problems, { ...options, methods: ['oracle'], n: [4] });
  expect(report).toMatchObject({ problems: 2, runs: 2 });
  // Right in one run and wrong in the other, for either problem.
  expect([...report.points[0].perProblem]).toEqual([0.5, 0.5]);
});

it('refuses negative weights by name', async () => {
  const scored = samples().map((item, i) => ({ ...item, confidence: i - 2 }));
  const { problems } = await readDraws([write('s.jsonl', scored)], {});
  const { refused } = scalingReport(problems, { ...options, n: [4] });
  expect(refused.find(({ method }) => method === 'weighted-confidence')?.why).toContain('a confidence is negative');
});

it('does not miss what a reply without an answer lacks', async () => {
  const items = samples().map((item) => (item.answer === null ? { ...item, logprob: null } : item));
  const { problems } = await readDraws([write('s.jsonl', items)], {});
  const { points } = scalingReport(problems, { ...options, methods: ['rpc', 'best-of-n'], n: [4] });
  expect(points.map(({ accuracy }) => accuracy.value)).toEqual([1, 1]);
});

it('compares by problem', async () => {
  const { problems } = await readDraws([write('s.jsonl', samples())], {});
  const worse = samples().map((item) => (item.problemId === 'a' ? { ...item, verdict: 'wrong' as const } : item));
  const base = (await readDraws([write('base.jsonl', worse)], {})).problems;
  const settings = { ...options, methods: ['majority'], n: [4] };
  const [report, baseReport] = [scalingReport(problems, settings), scalingReport(base, settings)];
  const { differences, shared } = compareScaling(problems, report, base, baseReport, options);
  expect(shared).toBe(2);
  expect(differences).toMatchObject([{ method: 'majority', n: 4, difference: { value: 0.25 } }]);
  expect(differenceTable(differences, shared).rows[0][2]).toMatch(/^\+0\.250/);
});

it('answers fewer problems with more agreement', async () => {
  const { problems } = await readDraws([write('s.jsonl', samples())], {});
  const [majority] = voteAbstention(problems, ['majority', 'oracle'], 4, 1, METHOD_DEFAULTS);
  // b's leader has 2 of 3 votes and is wrong; a's has 2 of 4.
  expect(majority.table.find(({ wanted }) => wanted === 0.5)).toMatchObject({ coverage: 0.5, precision: 0 });
  expect(voteAbstentionTable([majority]).header).toContain('100 %');
});
