/** A problem as text. */

/** The interface of everything that judges responses. */
export * from './grader.js';
export * from './problem.js';
