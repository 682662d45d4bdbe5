import { InputError, permutation, type RandomStream, stream } from '@capo/samples';
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

/** What the problem sets are made of. */
export interface ToyBenchmarkOptions {
  /** Problems of the training pool, of the validation set, and of each suite. */
  trainingPool: number;
  validation: number;
  suite: number;
  /** The share of table entries that no right path of the training pool uses, in [0.05, 0.9]. */
  heldOutShare: number;
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
  /** Three steps whose right path uses only table entries that were held out from the training pool. */
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

/** The table entries that are held out from the training pool. */
export function heldOutEntries(seed: number, share: number): Set<number> {
  const entries = OPERATIONS.length * MODULUS * MODULUS;
  const order = permutation(entries, stream(seed, 'toy', 'held-out-entries'));
  return new Set(order.subarray(0, Math.round(share * entries)));
}

/**
 * Makes the problem sets; options and seed decide everything. Each set draws from a stream of its own. The validation
 * set and the suites other than `chain3-unseen` take table entries as they come, seen and held out.
 *
 * @throws InputError for a size below one, or one so large that no new problem is found
 */
export function makeToyBenchmark(seed: number, options: ToyBenchmarkOptions): ToyBenchmark {
  const { heldOutShare, ...sizes } = options;
  for (const [name, size] of Object.entries(sizes)) {
    if (!Number.isInteger(size) || size < 1) {
      throw new InputError(`The toy task's ${name} has ${size} problems; it needs at least 1.`);
    }
  }
  if (!(heldOutShare >= 0.05 && heldOutShare <= 0.9)) {
    throw new InputError(`heldOutShare is ${heldOutShare}; it must lie in [0.05, 0.9].`);
  }
  const heldOut = heldOutEntries(seed, heldOutShare);
  const used = new Set<string>();
  type Accept = (chain: Chain) => boolean;
  const make = (name: string, count: number, length: number, operations = OPERATIONS, accept: Accept = () => true) => {
    const random = stream(seed, 'toy', name);
    const problems: ToyProblem[] = [];
    for (let tries = 0; problems.length < count; tries++) {
      // A path of three held-out entries is one in 8000 at the smallest share.
      if (tries > 100_000 * (count + 10)) {
        throw new InputError(`The toy task has no ${count} different problems for "${name}".`, 'Ask for fewer.');
      }
      const chain = randomChain(length, operations, random);
      if (!accept(chain)) continue;
      const text = chainText(chain);
      if (used.has(text)) continue;
      used.add(text);
      problems.push(toyProblem(name, `${name}/${String(problems.length).padStart(4, '0')}`, chain));
    }
    return problems;
  };
  return {
    trainingPool: make('pool', sizes.trainingPool, 3, OPERATIONS, (chain) =>
      pathEntries(chain).every((entry) => !heldOut.has(entry)),
    ),
    validation: make('validation', sizes.validation, 3),
    suites: {
      chain2: make('chain2', sizes.suite, 2),
      chain3: make('chain3', sizes.suite, 3),
      chain4: make('chain4', sizes.suite, 4),
      'chain3-add-sub': make('chain3-add-sub', sizes.suite, 3, ['+', '-']),
      'chain3-multiply': make('chain3-multiply', sizes.suite, 3, ['*']),
      'chain3-unseen': make('chain3-unseen', sizes.suite, 3, OPERATIONS, (chain) =>
        pathEntries(chain).every((entry) => heldOut.has(entry)),
      ),
    },
  };
}
