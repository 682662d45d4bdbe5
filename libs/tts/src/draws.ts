/** The draws of one problem, as a vote sees them. */
export interface ProblemDraws {
  /** The class of equivalent answers that each draw belongs to; -1 for a reply without an answer, which never votes. */
  answers: Int32Array;
  /** The log-probability of each whole response, in nats. */
  sequenceLogprobs: Float64Array;
  /** An id of each response's text: equal texts have equal ids. */
  paths: Int32Array;
  /** The class of the right answer; -2 when no draw has it. */
  gold: number;
}

/** A weight for each class of answers that occurs. */
export type Votes = Map<number, number>;

/** The expected accuracy of choosing a class with the most votes, ties split: 1, 0, or 1/k; 0 without any vote. */
export function expectedAccuracy(votes: Votes, gold: number): number {
  const most = Math.max(...votes.values());
  const leaders = [...votes].filter(([, weight]) => weight === most).map(([answer]) => answer);
  return leaders.includes(gold) ? 1 / leaders.length : 0;
}
