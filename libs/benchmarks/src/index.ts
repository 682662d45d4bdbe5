/** A problem as text. */
export * from './problem.js';

/** The interface of everything that judges responses. */
export * from './grader.js';

/** The answer of a reply and of a reference, with the rule that found it: shared by reward and evaluation. */
export * from './extraction/extract-answer.js';

/** The toy task: chain arithmetic modulo 17, as text and as tokens. */
export * from './toy/chain-arithmetic.js';

/** What the texts of the toy world get wrong. */
export * from './toy/misconceptions.js';

/** The toy task's training pool, validation set and six held-out suites. */
export * from './toy/toy-benchmark.js';

/** The grader of the toy task. */
export * from './toy/toy-grader.js';

/** Problems from files. */
export * from './problem-file.js';

/** Whether two answers say the same, as text and as mathematics. */
export * from './equivalence/equivalence.js';

/** The grader of free-form mathematical answers, in a thread that can be killed. */
export * from './math-grader/math-grader.js';
export * from './math-grader/judge.js';

/** How the grader agrees with pairs that others have judged. */
export * from './audit/labelled-pairs.js';
export * from './audit/audit-grader.js';

/** Problem sets: manifests, fetching, checking, and the folder that they are kept in. */
export { dataFolder } from './data/data-folder.js';
export { manifestOf, readManifests, type SetManifest, type SetSource } from './data/manifest.js';
export * from './data/problem-set.js';
export type { Finding } from './data/check-problems.js';
