import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as metrics from './index.js';

interface TortureCase {
  id: string;
  metric: string;
  input: Record<string, unknown>;
  expected: Record<string, unknown>;
  tolerance: number;
  source: string;
}

const files = ['hand', 'reference'].map((name) => new URL(`../torture/${name}.json`, import.meta.url));
const cases = files.flatMap((file) => (JSON.parse(readFileSync(file, 'utf8')) as { cases: TortureCase[] }).cases);

/** Numbers that JSON cannot hold are written as `{ "f": "NaN" }`. */
function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (value === null || typeof value !== 'object') return value;
  if ('f' in value) return Number((value as { f: string }).f);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revive(item)]));
}

type Input = Record<string, never>;
interface Pairs {
  scores: number[];
  labels: number[];
}

/** Scores and labels, written out or as a repeated pattern. */
function pairs(input: Input): Pairs {
  const { repeat } = input as { repeat?: Pairs & { times: number } };
  if (!repeat) return input as unknown as Pairs;
  const times = <T>(pattern: T[]) => Array.from({ length: repeat.times }, () => pattern).flat();
  return { scores: times(repeat.scores), labels: times(repeat.labels) };
}

const withBins = (error: metrics.CalibrationError) => ({ ...error, counts: error.bins.map(({ count }) => count) });

/** A metric of the torture set as a call of this library. */
const runners: Record<string, (input: Input) => object> = {
  auc: (input) => metrics.auc(pairs(input).scores, pairs(input).labels),
  perPromptAuc: ({ scores, labels, prompts }) => metrics.perPromptAuc(scores, labels, prompts),
  averagePrecision: ({ scores, labels }) => metrics.averagePrecision(scores, labels),
  rocCurve: ({ scores, labels }) => metrics.rocCurve(scores, labels),
  delongInterval: ({ scores, labels }) => metrics.delongInterval(scores, labels),
  delongTest: ({ scores, other, labels }) => metrics.delongTest(scores, other, labels),
  confidentErrors: ({ scores, labels }) => metrics.confidentErrors(scores, labels, 0.8),
  expectedCalibrationError: ({ scores, labels, ...bins }) =>
    withBins(metrics.expectedCalibrationError(scores, labels, bins)),
  maximumCalibrationError: ({ scores, labels, ...bins }) => metrics.maximumCalibrationError(scores, labels, bins),
  adaptiveCalibrationError: ({ scores, labels, binCount }) =>
    metrics.adaptiveCalibrationError(scores, labels, binCount),
  rootMeanSquareCalibrationError: ({ scores, labels, ...bins }) =>
    metrics.rootMeanSquareCalibrationError(scores, labels, bins),
  debiasedSquaredCalibrationError: ({ scores, labels, ...bins }) =>
    metrics.debiasedSquaredCalibrationError(scores, labels, bins),
  smoothCalibrationError: ({ scores, labels }) => metrics.smoothCalibrationError(scores, labels),
  brierScore: ({ scores, labels }) => metrics.brierScore(scores, labels),
  negativeLogLikelihood: ({ scores, labels }) => metrics.negativeLogLikelihood(scores, labels),
  temperature: ({ scores, labels }) => metrics.fitTemperature(scores, labels),
  isotonic: ({ scores, labels }) => {
    const model = metrics.fitIsotonic(scores, labels);
    return { predictions: (scores as number[]).map((score) => metrics.predictIsotonic(model, score)) };
  },
  precisionCoverage: ({ scores, labels }) => metrics.precisionCoverage(scores, labels),
  areaUnderRiskCoverage: ({ scores, labels }) => metrics.areaUnderRiskCoverage(scores, labels),
  selectiveAccuracy: ({ scores, labels, coverages }) => ({
    accuracies: metrics.selectiveAccuracy(scores, labels, coverages),
  }),
  coverageAtPrecision: ({ scores, labels, target }) => metrics.coverageAtPrecision(scores, labels, target),
  guaranteedThreshold: (input) => metrics.guaranteedThreshold(pairs(input).scores, pairs(input).labels, input.target),
  clopperPearson: ({ successes, trials, delta }) => ({
    low: metrics.clopperPearsonLower(successes, trials, delta),
    high: metrics.clopperPearsonUpper(successes, trials, delta),
  }),
  comparePareto: ({ first, second }) => {
    const ranked = ({ scores, labels }: Pairs) => metrics.rankScores(scores, labels);
    return metrics.comparePareto(ranked(first), ranked(second));
  },
  meanAtK: ({ labels, prompts }) => metrics.meanAtK(labels, prompts),
  passAtK: ({ n, correct, k }) => metrics.passAtK(n, correct, k),
  majorityAccuracy: ({ prompts }) => metrics.majorityAccuracy(prompts),
  studentInterval: ({ values }) => metrics.studentInterval(values),
  pairedPermutationTest: ({ differences }) => metrics.pairedPermutationTest(differences, () => 0.5),
  holm: ({ pValues }) => ({ adjusted: metrics.holm(pValues) }),
  smallestDetectableDifference: ({ deviation, n, ...options }) => ({
    value: metrics.smallestDetectableDifference(deviation, n, options),
  }),
  quantile: ({ values, probability }) => ({ value: metrics.quantile(values, probability) }),
  signals: ({ logprobs, tokens, window }) => ({
    meanLogprob: metrics.meanLogprob(logprobs),
    sequenceLogprob: metrics.sequenceLogprob(logprobs),
    negativePerplexity: metrics.negativePerplexity(logprobs),
    tailConfidence: metrics.tailConfidence(logprobs, tokens),
    lowestGroupConfidence: metrics.lowestGroupConfidence(logprobs, window),
  }),
};

function expectMatch(actual: unknown, expected: unknown, tolerance: number, where: string): void {
  if (Array.isArray(expected)) {
    const list = Array.from(actual as ArrayLike<unknown>);
    expect(list.length, where).toBe(expected.length);
    for (const [i, item] of expected.entries()) expectMatch(list[i], item, tolerance, `${where}[${i}]`);
  } else if (typeof expected === 'number' && Number.isFinite(expected)) {
    expect(Math.abs((actual as number) - expected), `${where}: ${actual}, expected ${expected}`).toBeLessThanOrEqual(
      tolerance,
    );
  } else expect(actual, where).toEqual(expected);
}

describe('the torture set', () => {
  it('has at least 150 cases with ids of their own, each with a source', () => {
    expect(cases.length).toBeGreaterThanOrEqual(150);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
    expect(cases.every(({ source }) => source.length > 5)).toBe(true);
  });

  it.each(cases)('$id', ({ metric, input, expected, tolerance }) => {
    const run = () => runners[metric](revive(input) as Input);
    if ('error' in expected) {
      expect(run).toThrow(expected.error as string);
      return;
    }
    const result = run() as Record<string, unknown>;
    for (const [key, raw] of Object.entries(expected)) {
      const value = raw === 'value' ? result.value : revive(raw);
      expectMatch(result[key], value, tolerance, key);
    }
  });
});
