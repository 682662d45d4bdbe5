import {
  chainText,
  decodeToy,
  encodeToy,
  Misconceptions,
  makeToyBenchmark,
  OPERATIONS,
  randomChain,
  solutionLength,
  solutionTokens,
  TEXT_LENGTHS,
  TOY_END_TOKEN,
  TOY_VOCABULARY,
  toyGrader,
} from '@capo/benchmarks';
import { z } from 'zod';
import type { TrainingTask } from './task.js';

/** The toy task's options. */
export const toyTaskSchema = z.strictObject({
  /** Of the world: its misconceptions and its problems. The same for all runs that are compared. */
  worldSeed: z.int().nonnegative().default(2604),
  trainingPool: z.int().positive('an empty training pool leaves nothing to train on').default(2000),
  validation: z.int().positive().default(100),
  suite: z.int().positive().default(100),
  heldOutShare: z.number().min(0.05).max(0.9).default(0.25),
});

/** Chain arithmetic with misconceptions, as a training task. */
export function toyTask(options: z.infer<typeof toyTaskSchema>): TrainingTask {
  const { worldSeed, ...sizes } = options;
  const benchmark = makeToyBenchmark(worldSeed, sizes);
  const misconceptions = new Misconceptions(worldSeed);
  return {
    vocabSize: TOY_VOCABULARY.length,
    endTokens: new Set([TOY_END_TOKEN]),
    maxResponseTokens: solutionLength(Math.max(...TEXT_LENGTHS)),
    trainingPool: benchmark.trainingPool,
    validation: benchmark.validation,
    suites: benchmark.suites,
    decode: decodeToy,
    text: (random) => {
      const chain = randomChain(TEXT_LENGTHS[random.integer(TEXT_LENGTHS.length)], OPERATIONS, random);
      return {
        prompt: encodeToy(chainText(chain)),
        response: solutionTokens(chain, misconceptions.recallChain(chain, random)),
      };
    },
    grader: toyGrader(),
  };
}
