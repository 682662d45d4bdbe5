import { InputError, type RandomStream, stream } from '@capo/samples';
import {
  type Chain,
  chainText,
  intermediateResults,
  MODULUS,
  OPERATIONS,
  type Operation,
  type ToyProblem,
  toyProblem,
} from './chain-arithmetic.js';
import { entryIndex } from './misconceptions.js';

/** How many problems each set holds. */
export interface ToySizes {
  trainingPool: number;
  validation: number;
  suite: number;
}

/** The held-out suites, named for what they are. */
export const TOY_SUITES = [
  /** Two steps: shorter than the training pool. */
  'chain2',
  /** Three steps of any operation, as in the training pool. */
  'chain3',
  /** Four steps: longer than the training pool. */
  'chain4',
  /** Three additions and subtractions. */
  'chain3-add-sub',
  /** Three multiplications. */
  'chain3-multiply',
  /** Three steps whose right path uses no table entry that a right path of the training pool uses. */
  'chain3-unseen',
] as const;
export type ToySuite = (typeof TOY_SUITES)[number];

/** All problem sets of the toy task. No prompt stands in two of them. */
export interface ToyBenchmark {
  trainingPool: ToyProblem[];
  validation: ToyProblem[];
  suites: Record<ToySuite, ToyProblem[]>;
}

/** The chain lengths that the supervised texts have. */
export const TEXT_LENGTHS = [2, 3, 4] as const;

/** A uniformly random chain. */
export function randomChain(length: number, operations: readonly Operation[], random: RandomStream): Chain {
  const step = () => ({ operation: operations[random.integer(operations.length)], operand: random.integer(MODULUS) });
  return { start: random.integer(MODULUS), steps: Array.from({ length }, step) };
}

/** The table entries on the right path of a chain. */
export function pathEntries(chain: Chain): number[] {
  const results = intermediateResults(chain);
  return chain.steps.map(({ operation, operand }, i) =>
    entryIndex(operation, i ? results[i - 1] : chain.start, operand),
  );
}

/**
 * Makes the problem sets. Sizes and seed decide everything.
 *
 * The training pool comes first, so that "unseen" has a meaning; each set draws from a stream of its own.
 *
 * @throws InputError for a size below one, or one so large that no new problem is found
 */
export function makeToyBenchmark(seed: number, sizes: ToySizes): ToyBenchmark {
  for (const [name, size] of Object.entries(sizes)) {
    if (!Number.isInteger(size) || size < 1) {
      throw new InputError(`The toy task's ${name} has ${size} problems; it needs at least 1.`);
    }
  }
  const used = new Set<string>();
  const make = (name: string, count: number, length: number, operations: readonly Operation[], seen?: Set<number>) => {
    const random = stream(seed, 'toy', name);
    const problems: ToyProblem[] = [];
    let tries = 0;
    while (problems.length < count) {
      if (++tries > 10_000 + 1000 * count) {
        throw new InputError(`The toy task has no ${count} different problems for "${name}".`, 'Ask for fewer.');
      }
      const chain = randomChain(length, operations, random);
      if (seen && pathEntries(chain).some((entry) => seen.has(entry))) continue;
      const text = chainText(chain);
      if (used.has(text)) continue;
      used.add(text);
      problems.push(toyProblem(name, `${name}/${String(problems.length).padStart(4, '0')}`, chain));
    }
    return problems;
  };

  const trainingPool = make('pool', sizes.trainingPool, 3, OPERATIONS);
  const seen = new Set(trainingPool.flatMap(({ chain }) => pathEntries(chain)));
  return {
    trainingPool,
    validation: make('validation', sizes.validation, 3, OPERATIONS),
    suites: {
      chain2: make('chain2', sizes.suite, 2, OPERATIONS),
      chain3: make('chain3', sizes.suite, 3, OPERATIONS),
      chain4: make('chain4', sizes.suite, 4, OPERATIONS),
      'chain3-add-sub': make('chain3-add-sub', sizes.suite, 3, ['+', '-']),
      'chain3-multiply': make('chain3-multiply', sizes.suite, 3, ['*']),
      'chain3-unseen': make('chain3-unseen', sizes.suite, 3, OPERATIONS, seen),
    },
  };
}
