import { parentPort, workerData } from 'node:worker_threads';
import type { Grade, GradeRequest } from '../grader.js';
import { type Algebra, judge } from './judge.js';

/** What the grading thread is given when it starts. */
export interface GraderWorkerData {
  /** The index, within its task, of the request that is being judged; -1 between tasks. */
  progress: Int32Array;
}

/** A task: requests to judge. The grades come back in order, in pieces. */
export interface GradingTask {
  requests: readonly GradeRequest[];
}

/** Grades of the requests from one index on. */
export interface GradedPiece {
  from: number;
  grades: Grade[];
}

const PIECE = 32;
const { progress } = workerData as GraderWorkerData;
let algebra: Algebra | undefined;

parentPort?.on('message', async ({ requests }: GradingTask) => {
  let from = 0;
  let grades: Grade[] = [];
  for (const [i, request] of requests.entries()) {
    Atomics.store(progress, 0, i);
    grades.push(await grade(request));
    if (grades.length < PIECE && i < requests.length - 1) continue;
    parentPort?.postMessage({ from, grades } satisfies GradedPiece);
    from = i + 1;
    grades = [];
  }
  Atomics.store(progress, 0, -1);
});

async function grade(request: GradeRequest): Promise<Grade> {
  try {
    let { verdict, answer, reason, comparison } = judge(request, algebra);
    if (comparison?.outcome === 'unclear' && !algebra) {
      // Loaded when the first comparison needs it: most runs never do.
      algebra = (await import('./algebra.js')).computeEngineAlgebra();
      ({ verdict, answer, reason } = judge(request, algebra));
    }
    return { verdict, answer, reason };
  } catch (error) {
    return { verdict: 'grader-error', answer: null, reason: error instanceof Error ? error.message : String(error) };
  }
}
