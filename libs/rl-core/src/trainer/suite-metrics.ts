import { auc, expectedCalibrationError, meanAtK, perPromptAuc } from '@capo/calibration-metrics';
import type { Sample } from '@capo/samples';

/** What is known of a suite at one step of training; null where a quantity is undefined. */
export interface SuiteMetrics {
  suite: string;
  problems: number;
  samples: number;
  /** Samples whose grader failed; they are left out of everything else. */
  ungraded: number;
  /** mean@k */
  accuracy: number | null;
  /** AUC of lpm against correctness over all samples of the suite. */
  auc: number | null;
  /** Mean of the AUCs within problems. */
  perPromptAuc: number | null;
  /** Problems that have both right and wrong samples. */
  mixedProblems: number;
  /** ECE of exp(lpm) as it stands, 15 bins of equal width. */
  ece: number | null;
  /** Mean of exp(-lpm). */
  perplexityRight: number | null;
  perplexityWrong: number | null;
}

/** The metrics of one suite's samples. */
export function suiteMetrics(suite: string, samples: readonly Sample[]): SuiteMetrics {
  const graded = samples.filter(({ verdict }) => verdict !== 'grader-error' && verdict !== 'timeout');
  const scored = graded.filter(({ logprob }) => logprob?.mean != null);
  const ids = new Map<string, number>();
  const idOf = ({ problemId }: Sample) => {
    if (!ids.has(problemId)) ids.set(problemId, ids.size);
    return ids.get(problemId) as number;
  };
  const labelOf = ({ verdict }: Sample) => (verdict === 'correct' ? 1 : 0);
  const lpm = Float64Array.from(scored, ({ logprob }) => logprob?.mean as number);
  const labels = Uint8Array.from(scored, labelOf);
  const prompts = Int32Array.from(scored, idOf);
  const within = perPromptAuc(lpm, labels, prompts);
  const meanPerplexity = (label: number) => {
    const values = [...lpm].filter((_, i) => labels[i] === label);
    return values.length ? values.reduce((sum, value) => sum + Math.exp(-value), 0) / values.length : null;
  };
  return {
    suite,
    problems: new Set(samples.map(({ problemId }) => problemId)).size,
    samples: samples.length,
    ungraded: samples.length - graded.length,
    accuracy: meanAtK(Uint8Array.from(graded, labelOf), Int32Array.from(graded, idOf)).value,
    auc: auc(lpm, labels).value,
    perPromptAuc: within.value,
    mixedProblems: within.prompts,
    // A float64 sum may round a certain response's exp(lpm) a hair above 1.
    ece: expectedCalibrationError(
      lpm.map((value) => Math.min(1, Math.exp(value))),
      labels,
    ).value,
    perplexityRight: meanPerplexity(1),
    perplexityWrong: meanPerplexity(0),
  };
}
