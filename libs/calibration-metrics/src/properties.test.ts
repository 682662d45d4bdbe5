import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as metrics from './index.js';

/** Scores on a coarse grid, so that ties are common, with labels. */
const pairs = fc.array(fc.record({ score: fc.integer({ min: 0, max: 8 }), label: fc.integer({ min: 0, max: 1 }) }), {
  maxLength: 40,
});
const columns = (items: { score: number; label: number }[]) => ({
  scores: Float64Array.from(items, ({ score }) => score / 8),
  labels: Uint8Array.from(items, ({ label }) => label),
});

/** Every metric of scores and labels whose value may not depend on the order of the input. */
const summaries: Record<string, (scores: Float64Array, labels: Uint8Array) => number | null> = {
  auc: (s, y) => metrics.auc(s, y).value,
  averagePrecision: (s, y) => metrics.averagePrecision(s, y).value,
  delong: (s, y) => metrics.delongInterval(s, y).variance,
  ece: (s, y) => metrics.expectedCalibrationError(s, y).value,
  eceEqualMass: (s, y) => metrics.expectedCalibrationError(s, y, { binning: 'equal-mass', binCount: 5 }).value,
  mce: (s, y) => metrics.maximumCalibrationError(s, y).value,
  rmsce: (s, y) => metrics.rootMeanSquareCalibrationError(s, y).value,
  brier: (s, y) => metrics.brierScore(s, y).value,
  aurc: (s, y) => metrics.areaUnderRiskCoverage(s, y).value,
  coverage: (s, y) => metrics.coverageAtPrecision(s, y, 0.6).coverage,
};

describe('invariance', () => {
  it.each(Object.entries(summaries))('%s does not depend on the order of the input', (_, summary) => {
    fc.assert(
      fc.property(pairs, fc.infiniteStream(fc.nat()), (items, keys) => {
        const keyed = items.map((item) => ({ item, key: keys.next().value as number }));
        const shuffled = columns(keyed.sort((a, b) => a.key - b.key).map(({ item }) => item));
        const { scores, labels } = columns(items);
        const [a, b] = [summary(scores, labels), summary(shuffled.scores, shuffled.labels)];
        if (a === null) expect(b).toBeNull();
        else expect(b).toBeCloseTo(a, 12);
      }),
    );
  });

  it('ranking metrics do not change under a strictly increasing transform', () => {
    fc.assert(
      fc.property(pairs, (items) => {
        const { scores, labels } = columns(items);
        const transformed = scores.map((score) => Math.exp(3 * score) - 100);
        expect(metrics.auc(transformed, labels)).toEqual(metrics.auc(scores, labels));
        expect(metrics.precisionCoverage(transformed, labels).precision).toEqual(
          metrics.precisionCoverage(scores, labels).precision,
        );
        expect(metrics.areaUnderRiskCoverage(transformed, labels)).toEqual(
          metrics.areaUnderRiskCoverage(scores, labels),
        );
      }),
    );
  });

  it('AUC of the reversed order is the complement', () => {
    fc.assert(
      fc.property(pairs, (items) => {
        const { scores, labels } = columns(items);
        const { value } = metrics.auc(scores, labels);
        const reversed = metrics.auc(
          scores.map((score) => -score),
          labels,
        ).value;
        if (value === null) expect(reversed).toBeNull();
        else expect((reversed as number) + value).toBeCloseTo(1, 12);
      }),
    );
  });

  it('ranking part by part equals ranking at once', () => {
    fc.assert(
      fc.property(fc.array(pairs, { maxLength: 5 }), (parts) => {
        const ranked = parts.map((part) => metrics.rankScores(columns(part).scores, columns(part).labels));
        const merged = ranked.reduce(metrics.mergeRanked, metrics.rankScores([], []));
        const { scores, labels } = columns(parts.flat());
        expect(merged).toEqual(metrics.rankScores(scores, labels));
      }),
    );
  });

  it('leaves its input alone', () => {
    const scores = Object.freeze([0.5, 0.2, 0.9, 0.2]) as number[];
    const labels = Object.freeze([1, 0, 1, 1]) as number[];
    for (const summary of Object.values(summaries)) summary(scores as never, labels as never);
    metrics.fitIsotonic(scores, labels);
    metrics.fitTemperature(scores, labels);
    expect(scores).toEqual([0.5, 0.2, 0.9, 0.2]);
  });
});

describe('identities', () => {
  it('AUC is the area under the ROC curve by the trapezoid rule, and the value that DeLong gives', () => {
    fc.assert(
      fc.property(pairs, (items) => {
        const { scores, labels } = columns(items);
        const { value } = metrics.auc(scores, labels);
        const { falsePositiveRate: x, truePositiveRate: y } = metrics.rocCurve(scores, labels);
        if (value === null) {
          expect(x.length).toBe(0);
          return;
        }
        let area = 0;
        for (let i = 1; i < x.length; i++) area += ((x[i] - x[i - 1]) * (y[i] + y[i - 1])) / 2;
        expect(area).toBeCloseTo(value, 12);
        expect(metrics.delongInterval(scores, labels).value).toBeCloseTo(value, 12);
      }),
    );
  });

  it('the Brier score is reliability - resolution + uncertainty', () => {
    fc.assert(
      fc.property(pairs, (items) => {
        const { scores, labels } = columns(items);
        const { value, reliability, resolution, uncertainty } = metrics.brierScore(scores, labels);
        if (value === null) return;
        expect((reliability as number) - (resolution as number) + (uncertainty as number)).toBeCloseTo(value, 12);
      }),
    );
  });

  it('bins hold every answer once, and errors are ordered and bounded', () => {
    fc.assert(
      fc.property(pairs, fc.integer({ min: 1, max: 20 }), (items, binCount) => {
        const { scores, labels } = columns(items);
        for (const binning of ['equal-width', 'equal-mass'] as const) {
          const bins = metrics.reliabilityBins(scores, labels, { binCount, binning });
          expect(bins).toHaveLength(binCount);
          expect(bins.reduce((sum, { count }) => sum + count, 0)).toBeCloseTo(items.length, 9);
          if (items.length === 0) continue;
          const ece = metrics.expectedCalibrationError(scores, labels, { binCount, binning }).value as number;
          const rms = metrics.rootMeanSquareCalibrationError(scores, labels, { binCount, binning }).value as number;
          const mce = metrics.maximumCalibrationError(scores, labels, { binCount, binning }).value as number;
          expect(ece).toBeLessThanOrEqual(rms + 1e-12);
          expect(rms).toBeLessThanOrEqual(mce + 1e-12);
          expect(mce).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('the whole coverage has the accuracy as its precision, and the perfect order has no excess area', () => {
    fc.assert(
      fc.property(pairs, (items) => {
        const { scores, labels } = columns(items);
        const { precision, coverage } = metrics.precisionCoverage(scores, labels);
        if (items.length === 0) return;
        const accuracy = labels.reduce((sum, label) => sum + label, 0) / labels.length;
        expect(precision[precision.length - 1]).toBeCloseTo(accuracy, 12);
        expect(coverage[coverage.length - 1]).toBe(1);
        expect(metrics.selectiveAccuracy(scores, labels, [1])[0]).toBeCloseTo(accuracy, 12);
        expect(metrics.areaUnderRiskCoverage(labels, labels).excess).toBeCloseTo(0, 12);
        expect(metrics.areaUnderRiskCoverage(scores, labels).excess as number).toBeGreaterThanOrEqual(-1e-12);
      }),
    );
  });

  it('isotonic regression rises, keeps the mean, and does not change a fit of itself', () => {
    fc.assert(
      fc.property(pairs, (items) => {
        if (items.length === 0) return;
        const { scores, labels } = columns(items);
        const model = metrics.fitIsotonic(scores, labels);
        const fitted = Array.from(scores, (score) => metrics.predictIsotonic(model, score));
        const order = [...scores.keys()].sort((a, b) => scores[a] - scores[b]);
        for (let i = 1; i < order.length; i++) {
          expect(fitted[order[i]]).toBeGreaterThanOrEqual(fitted[order[i - 1]] - 1e-12);
        }
        const sum = (values: ArrayLike<number>) => Array.from(values).reduce((total, value) => total + value, 0);
        expect(sum(fitted)).toBeCloseTo(sum(labels), 9);
        // The fitted probabilities are calibrated: each value is the accuracy of those who have it.
        expect(metrics.brierScore(fitted, labels).reliability).toBeCloseTo(0, 12);
      }),
    );
  });

  it('pass@1 is the mean accuracy and pass@k rises with k', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(), (n, seed) => {
        const correct = seed % (n + 1);
        const values = Array.from({ length: n }, (_, k) => metrics.passAtK(n, correct, k + 1).value as number);
        expect(values[0]).toBeCloseTo(correct / n, 12);
        for (let k = 1; k < n; k++) expect(values[k]).toBeGreaterThanOrEqual(values[k - 1] - 1e-12);
      }),
    );
  });

  it('a promise of a threshold rests on a bound that falls short of the target about delta of the time', () => {
    // Precision 0.8 at every score: certifying 0.8 is a broken promise. delta = 0.1, 400 sets: mean 40, sd 6.
    let state = 1;
    const random = () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    let broken = 0;
    for (let set = 0; set < 400; set++) {
      const scores = Float64Array.from({ length: 100 }, random);
      const labels = Uint8Array.from(scores, () => (random() < 0.8 ? 1 : 0));
      if (metrics.guaranteedThreshold(scores, labels, 0.8, { delta: 0.1 }).threshold !== null) broken++;
    }
    expect(broken).toBeLessThan(40 + 4 * 6);
  });
});

describe('bootstrap', () => {
  const random = () => {
    let state = 7;
    return () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
  };

  it('with multiplicities equals the statistic of copied items', () => {
    fc.assert(
      fc.property(pairs, fc.array(fc.nat(3), { minLength: 5, maxLength: 5 }), (items, multiplicity) => {
        const { scores, labels } = columns(items);
        const clusters = Int32Array.from(items, (_, i) => i % 5);
        const copies = [...items.keys()].flatMap((i) => new Array(multiplicity[clusters[i]]).fill(i) as number[]);
        const pick = (values: ArrayLike<number>) => copies.map((i) => values[i]);
        const weights = Float64Array.from(multiplicity);
        const auc = metrics.auc(pick(scores), pick(labels)).value;
        const ranked = metrics.rankedResampler(scores, labels, clusters);
        const weighted = metrics.aucOfRanked(ranked(weights)).value;
        if (auc === null) expect(weighted).toBeNull();
        else expect(weighted).toBeCloseTo(auc, 12);
        const ece = metrics.expectedCalibrationError(pick(scores), pick(labels)).value;
        const weightedEce = metrics.calibrationErrorOfRanked('expected', ranked(weights)).value;
        if (ece === null) expect(weightedEce).toBeNull();
        else expect(weightedEce).toBeCloseTo(ece, 12);
      }),
    );
  });

  it('covers the mean of a normal sample about as often as it says', () => {
    const uniform = random();
    let covered = 0;
    const sets = 200;
    for (let set = 0; set < sets; set++) {
      // Sums of 12 uniforms are close to normal, with mean 6.
      const values = Float64Array.from({ length: 60 }, () => {
        let sum = 0;
        for (let i = 0; i < 12; i++) sum += uniform();
        return sum;
      });
      for (const method of ['percentile', 'bca'] as const) {
        const statistic = metrics.meanStatistic(values);
        const { low, high } = metrics.clusterBootstrap(60, statistic, { random: uniform, resamples: 200, method });
        if ((low as number) <= 6 && (high as number) >= 6) covered++;
      }
    }
    // 95 % nominal; the bootstrap of 60 values is a little short of it. Four standard errors of 400 are 4 %.
    expect(covered / (2 * sets)).toBeGreaterThan(0.88);
    expect(covered / (2 * sets)).toBeLessThan(0.99);
  });

  it('says why there is no interval', () => {
    const none = metrics.clusterBootstrap(3, () => null, { random: random() });
    expect(none).toMatchObject({ value: null, low: null, reason: 'the statistic is undefined' });
    const one = metrics.clusterBootstrap(1, () => 0.5, { random: random() });
    expect(one).toMatchObject({ value: 0.5, low: null, reason: 'fewer than two prompts' });
  });

  it('BCa moves the interval of a skewed statistic towards its long tail', () => {
    const values = Float64Array.from({ length: 40 }, (_, i) => (i < 36 ? 0 : 10));
    const statistic = metrics.meanStatistic(values);
    const percentile = metrics.clusterBootstrap(40, statistic, { random: random(), resamples: 2000 });
    const bca = metrics.clusterBootstrap(40, statistic, { random: random(), resamples: 2000, method: 'bca' });
    expect(bca.low as number).toBeGreaterThanOrEqual(percentile.low as number);
    expect(bca.high as number).toBeGreaterThan(percentile.high as number);
  });

  it('is the same for the same random numbers', () => {
    const statistic = metrics.meanStatistic([1, 2, 3, 4]);
    const run = () => metrics.clusterBootstrap(4, statistic, { random: random(), resamples: 50 });
    expect(run()).toEqual(run());
  });
});
