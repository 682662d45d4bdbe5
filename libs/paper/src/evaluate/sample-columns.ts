import { InputError, type Sample } from '@capo/samples';

/** Where the confidence of a sample comes from; higher always means surer. */
const SIGNALS = {
  /** The paper's lpm. */
  'mean-logprob': (sample: Sample) => sample.logprob?.mean ?? null,
  'sum-logprob': (sample: Sample) => sample.logprob?.sum ?? null,
  /** The record's own `confidence`, for instance a reward model's score. */
  confidence: (sample: Sample) => sample.confidence ?? null,
} as const;
export type Signal = keyof typeof SIGNALS;

/** A growing column of numbers. */
class Column {
  private data = new Float64Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.data.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = value;
  }

  values(): Float64Array {
    return this.data.subarray(0, this.length);
  }
}

/**
 * The numbers of a set of samples that metrics need, without their texts, so that memory does not grow with the length
 * of responses. Samples whose grader failed are counted and left out of everything else; a reply without an answer
 * counts as not correct.
 */
export class SampleColumns {
  readonly problemIds: string[] = [];
  /** Samples seen, graded or not. */
  samples = 0;
  /** Samples whose grader failed. */
  graderErrors = 0;
  /** Samples that the grader did not judge in time. */
  timeouts = 0;
  noAnswer = 0;
  /** Graded samples that lack the signal; they count for accuracy only. */
  withoutSignal = 0;
  private readonly indexOf = new Map<string, number>();
  private readonly columns = { label: new Column(), problem: new Column() };
  private readonly scored = { score: new Column(), label: new Column(), problem: new Column() };

  constructor(readonly signal: Signal = 'mean-logprob') {}

  /** Samples without a verdict, which are in no number. */
  get ungraded(): number {
    return this.graderErrors + this.timeouts;
  }

  add(sample: Sample): void {
    this.samples++;
    if (sample.verdict === 'grader-error' || sample.verdict === 'timeout') {
      if (sample.verdict === 'timeout') this.timeouts++;
      else this.graderErrors++;
      return;
    }
    if (sample.verdict === 'no-answer') this.noAnswer++;
    const label = sample.verdict === 'correct' ? 1 : 0;
    let problem = this.indexOf.get(sample.problemId);
    if (problem === undefined) {
      problem = this.problemIds.length;
      this.indexOf.set(sample.problemId, problem);
      this.problemIds.push(sample.problemId);
    }
    this.columns.label.push(label);
    this.columns.problem.push(problem);
    const score = SIGNALS[this.signal](sample);
    if (score === null) {
      this.withoutSignal++;
      return;
    }
    this.scored.score.push(score);
    this.scored.label.push(label);
    this.scored.problem.push(problem);
  }

  /** How many problems have both right and wrong samples with the signal: those that AUC within prompts is a mean over. */
  mixedProblems(): number {
    const { labels, problems } = this.withSignal();
    const seen = new Uint8Array(this.problemIds.length);
    for (const [i, problem] of problems.entries()) seen[problem] |= labels[i] === 1 ? 1 : 2;
    return seen.filter((kinds) => kinds === 3).length;
  }

  /** Of all graded samples: 1 correct, 0 not; and the index of the problem. */
  graded(): { labels: Float64Array; problems: Float64Array } {
    return { labels: this.columns.label.values(), problems: this.columns.problem.values() };
  }

  /** Of the graded samples that have the signal. */
  withSignal(): { scores: Float64Array; labels: Float64Array; problems: Float64Array } {
    return {
      scores: this.scored.score.values(),
      labels: this.scored.label.values(),
      problems: this.scored.problem.values(),
    };
  }

  /**
   * The scores as probabilities: exp of a mean log-probability, the confidence as it stands. Null when the signal is no
   * probability (a sum of log-probabilities depends on length) or a confidence lies outside [0, 1].
   */
  probabilities(): Float64Array | null {
    const { scores } = this.withSignal();
    if (this.signal === 'sum-logprob') return null;
    // A float64 mean of zeros may lie a hair above 0.
    if (this.signal === 'mean-logprob') return scores.map((score) => Math.min(1, Math.exp(score)));
    return scores.every((score) => score >= 0 && score <= 1) ? scores : null;
  }
}

/** The signal of that name. @throws InputError for an unknown one */
export function checkSignal(name: string): Signal {
  if (name in SIGNALS) return name as Signal;
  throw new InputError(`There is no signal "${name}".`, `Known: ${Object.keys(SIGNALS).join(', ')}.`);
}
