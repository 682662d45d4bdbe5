import type { ProblemDraws, Votes } from './draws.js';
import type { Subset } from './votes.js';

/** What a vote that stops as soon as it is decided answers, and after how many draws. */
export interface StoppedVote {
  votes: Votes;
  drawn: number;
}

/**
 * Majority vote that stops when the leader cannot be caught any more by the draws that are left. It answers what the
 * vote over all of them would, ties aside that only later draws make.
 */
export function stopWhenDecided({ answers }: ProblemDraws, subset: Subset): StoppedVote {
  return stopWhen(answers, subset, (leader, second, left) => leader - second > left);
}

/**
 * Adaptive consistency (Aggarwal et al. 2023, arXiv 2305.11860): a majority vote that stops when the leader beats the
 * runner-up with at least the given probability, under a Beta(leader + 1, runner-up + 1) posterior of their shares.
 */
export function stopWhenConfident({ answers }: ProblemDraws, subset: Subset, probability = 0.95): StoppedVote {
  return stopWhen(answers, subset, (leader, second) => leaderBeats(leader, second) >= probability);
}

function stopWhen(
  answers: Int32Array,
  subset: Subset,
  isDecided: (leader: number, second: number, left: number) => boolean,
): StoppedVote {
  const votes: Votes = new Map();
  for (let i = 0; i < subset.length; i++) {
    const answer = answers[subset[i]];
    if (answer >= 0) votes.set(answer, (votes.get(answer) ?? 0) + 1);
    let [leader, second] = [0, 0];
    for (const count of votes.values()) {
      if (count > leader) [leader, second] = [count, leader];
      else if (count > second) second = count;
    }
    if (leader > 0 && isDecided(leader, second, subset.length - i - 1)) return { votes, drawn: i + 1 };
  }
  return { votes, drawn: subset.length };
}

/**
 * P(share > 1/2) under Beta(a + 1, b + 1): the probability that a + b + 1 fair coins show at most a heads, which is what
 * the incomplete beta function at 1/2 is for whole numbers.
 */
export function leaderBeats(a: number, b: number): number {
  const n = a + b + 1;
  let term = 0.5 ** n;
  let sum = 0;
  for (let k = 0; k <= a; k++) {
    sum += term;
    term *= (n - k) / (k + 1);
  }
  return sum;
}
