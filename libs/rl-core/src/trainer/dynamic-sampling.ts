import type { Rollout } from './rollout.js';

/** The indices of the groups of a rollout that hold both right and wrong responses. */
export function groupsWithSignal({ problems, draws, rewards }: Rollout): number[] {
  return [...problems.keys()].filter((group) => {
    const own = rewards.subarray(group * draws, (group + 1) * draws);
    return own.includes(1) && own.includes(0);
  });
}

/** The rollout of some of the groups of a rollout. */
export function selectGroups(rollout: Rollout, groups: readonly number[]): Rollout {
  const { draws } = rollout;
  const indices = groups.flatMap((group) => Array.from({ length: draws }, (_, draw) => group * draws + draw));
  return {
    problems: groups.map((group) => rollout.problems[group]),
    draws,
    drawn: indices.map((i) => rollout.drawn[i]),
    grades: indices.map((i) => rollout.grades[i]),
    responses: indices.map((i) => rollout.responses[i]),
    rewards: Float64Array.from(indices, (i) => rollout.rewards[i]),
    lpm: Float64Array.from(indices, (i) => rollout.lpm[i]),
  };
}

/** Two rollouts with the same number of draws, one after the other. */
function joinRollouts(first: Rollout, second: Rollout): Rollout {
  return {
    problems: [...first.problems, ...second.problems],
    draws: first.draws,
    drawn: [...first.drawn, ...second.drawn],
    grades: [...first.grades, ...second.grades],
    responses: [...first.responses, ...second.responses],
    rewards: Float64Array.of(...first.rewards, ...second.rewards),
    lpm: Float64Array.of(...first.lpm, ...second.lpm),
  };
}

/**
 * DAPO's dynamic sampling (arXiv 2503.14476, section 3.2): groups that are all right or all wrong are dropped, and
 * further problems are drawn until there are as many groups with a signal as a step asks for, or the rounds are used up.
 *
 * @param draw draws the problems of a round; round 0 has the step's own problems
 * @returns `all`: everything that was drawn, for the log; `kept`: at most `count` groups with a signal, maybe none
 */
export async function sampleDynamically(
  count: number,
  rounds: number,
  draw: (round: number) => Promise<Rollout>,
): Promise<{ all: Rollout; kept: Rollout }> {
  let all = await draw(0);
  for (let round = 1; round <= rounds && groupsWithSignal(all).length < count; round++) {
    all = joinRollouts(all, await draw(round));
  }
  return { all, kept: selectGroups(all, groupsWithSignal(all).slice(0, count)) };
}
