/** The draws of one problem, as the methods see them: columns of equal length, one entry a draw. */
export interface ProblemDraws {
  /** The class of equivalent answers that each draw belongs to; -1 for a reply without an answer, which never wins. */
  answers: Int32Array;
  /** The class of the right answer; any other number when no draw has it. */
  gold: number;
  /** The log-probability of each whole response, in nats; NaN where it is not known. */
  sequenceLogprobs?: Float64Array;
  /** Length-normalised log-probabilities; NaN where they are not known. */
  lpm?: Float64Array;
  /** An id of each response's text: equal texts have equal ids. */
  paths?: Int32Array;
  /** Any confidence, higher is surer; NaN where it is not known. */
  confidence?: Float64Array;
  /** Self-certainty of each response; NaN where it is not known. */
  selfCertainty?: Float64Array;
  /** The log-probabilities of each response's tokens. */
  tokenLogprobs?: readonly Float64Array[];
  /** The tokens of each response; NaN where they are not known. */
  tokens?: Float64Array;
  /** 1 for draws at temperature 0. */
  greedy?: Uint8Array;
}

/** A weight for each class of answers that occurs. */
export type Votes = Map<number, number>;

/** The relative difference up to which weights are equal. */
const TIE = 1e-12;

/** The classes that share the largest weight, if it is above nothing. Replies without an answer are in no class. */
export function leadersOf(votes: Votes): number[] {
  let most = Number.NEGATIVE_INFINITY;
  for (const weight of votes.values()) if (weight > most) most = weight;
  // Sums of the same weights in another order differ in their last bits.
  const least = most - TIE * Math.abs(most);
  return [...votes].filter(([, weight]) => weight >= least).map(([answer]) => answer);
}

/** The expected accuracy of choosing a class with the most votes, ties split: 1, 0, or 1/k; 0 without any vote. */
export function expectedAccuracy(votes: Votes, gold: number): number {
  const leaders = leadersOf(votes);
  return leaders.includes(gold) ? 1 / leaders.length : 0;
}

/** The expected accuracy of taking one vote at random: the share of the right class; 0 without any vote. */
export function drawnAccuracy(votes: Votes, gold: number): number {
  let sum = 0;
  for (const weight of votes.values()) sum += weight;
  return sum > 0 ? (votes.get(gold) ?? 0) / sum : 0;
}

/** The class that is answered with: of equal leaders a seeded draw decides. Null when nothing was voted for. */
export function choose(votes: Votes, uniform: () => number): number | null {
  const leaders = leadersOf(votes).sort((a, b) => a - b);
  if (leaders.length === 0) return null;
  return leaders.length === 1 ? leaders[0] : leaders[Math.floor(uniform() * leaders.length)];
}

/** The share of all weight that the leader has, as the vote's confidence; 0 without any vote. */
export function voteShare(votes: Votes): number {
  let [most, sum] = [0, 0];
  for (const weight of votes.values()) {
    most = Math.max(most, weight);
    sum += weight;
  }
  return sum > 0 ? most / sum : 0;
}
