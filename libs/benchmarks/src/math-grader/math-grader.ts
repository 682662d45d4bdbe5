import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Grade, GradeRequest, Grader } from '../grader.js';
import type { GradedPiece, GraderWorkerData } from './grader-worker.js';
import { MATH_GRADER_VERSION } from './judge.js';

export interface MathGraderOptions {
  /** The most time for one response, in milliseconds. @default 5000 */
  deadlineMs?: number;
}

/** Memory of the grading thread, in MiB. Beyond it the thread dies, and the response it was at is a `grader-error`. */
const MEMORY_MIB = 512;

/**
 * The grader of free-form mathematical answers: the extractor of all benchmarks, then equivalence in layers.
 *
 * It judges in a thread of its own. A response that takes longer than the deadline has that thread killed: its verdict
 * is `timeout`, and the others are judged by a new thread. The same holds for one that makes the thread run out of
 * memory: its verdict is `grader-error`. Batches are judged one after the other.
 *
 * @example
 * const grader = mathGrader();
 * await grader.grade([{ response: 'It is \\boxed{\\frac12}.', gold: '0.5' }]); // [{ verdict: 'correct', .. }]
 * await grader.close();
 */
export function mathGrader({ deadlineMs = 5000 }: MathGraderOptions = {}): Grader {
  return new ThreadedGrader(deadlineMs);
}

class ThreadedGrader implements Grader {
  readonly version = MATH_GRADER_VERSION;
  private worker: Worker | undefined;
  private readonly progress = new Int32Array(new SharedArrayBuffer(4));
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly deadlineMs: number) {}

  grade(requests: readonly GradeRequest[]): Promise<Grade[]> {
    const batch = this.last.then(() => this.gradeBatch(requests));
    this.last = batch.catch(() => undefined);
    return batch;
  }

  async close(): Promise<void> {
    await this.last;
    await this.stop();
  }

  private async gradeBatch(requests: readonly GradeRequest[]): Promise<Grade[]> {
    const grades: (Grade | undefined)[] = requests.map(() => undefined);
    let deaths = 0;
    for (;;) {
      const open = grades.flatMap((grade, i) => (grade ? [] : [i]));
      if (open.length === 0) return grades as Grade[];
      const failure = await this.run(
        open.map((i) => requests[i]),
        (at, grade) => {
          grades[open[at]] = grade;
        },
      );
      if (!failure) continue;
      await this.stop();
      if (failure.at >= 0) grades[open[failure.at]] = failure.grade;
      else if (++deaths > 2) throw new Error(`the grading thread does not start: ${failure.grade.reason}`);
    }
  }

  /** Has the thread judge requests. Resolves to the failure that ended it before all were judged. */
  private run(
    requests: readonly GradeRequest[],
    done: (at: number, grade: Grade) => void,
  ): Promise<{ at: number; grade: Grade } | undefined> {
    this.worker ??= this.start();
    const worker = this.worker;
    worker.ref();
    return new Promise((resolve) => {
      const finish = (failure?: { at: number; grade: Grade }) => {
        clearInterval(watch);
        worker.off('message', receive).off('error', die).off('exit', end);
        // An idle thread does not keep the process alive.
        worker.unref();
        resolve(failure);
      };
      const fail = (verdict: Grade['verdict'], reason: string) =>
        finish({ at: Atomics.load(this.progress, 0), grade: { verdict, answer: null, reason } });
      let seen = -2;
      let since = Date.now();
      const watch = setInterval(
        () => {
          const at = Atomics.load(this.progress, 0);
          if (at !== seen) [seen, since] = [at, Date.now()];
          else if (at >= 0 && Date.now() - since > this.deadlineMs)
            fail('timeout', `not judged within ${this.deadlineMs} ms`);
        },
        Math.min(50, this.deadlineMs),
      );
      const receive = ({ from, grades }: GradedPiece) => {
        for (const [i, grade] of grades.entries()) done(from + i, grade);
        if (from + grades.length === requests.length) finish();
      };
      const die = (error: Error) => fail('grader-error', `the grading thread died: ${error.message}`);
      const end = (code: number) => fail('grader-error', `the grading thread ended with code ${code}`);
      worker.on('message', receive).on('error', die).on('exit', end);
      worker.postMessage({ requests });
    });
  }

  private start(): Worker {
    Atomics.store(this.progress, 0, -1);
    const file = createRequire(import.meta.url).resolve('@capo/benchmarks/grader-worker');
    return new Worker(file, {
      workerData: { progress: this.progress } satisfies GraderWorkerData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB, stackSizeMb: 4 },
    });
  }

  private async stop(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
  }
}
