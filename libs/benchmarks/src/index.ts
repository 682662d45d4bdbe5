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

/** Problems from files, and the grader of answers that are whole numbers. */
export * from './problem-file.js';
export { integerGrader, wholeNumber } from './integer-grader.js';
