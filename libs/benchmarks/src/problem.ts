/** One problem of a benchmark, as text for people. */
export interface Problem {
  /** Stable and unique within the benchmark. */
  id: string;
  benchmark: string;
  /** What the model is asked. */
  prompt: string;
  /** The reference answer. */
  gold: string;
}
