import { type RandomStream, stream } from '@capo/samples';
import { applyOperation, type Chain, MODULUS, OPERATIONS, type Operation } from './chain-arithmetic.js';

/**
 * What the texts of the toy world get wrong. Each entry of the tables of + - * has one wrong result that is found in
 * its stead with probability p ~ Beta(0.6, 1.2): most entries are nearly always right, some nearly always wrong, as a
 * web corpus has common errors. A model trained on such text is calibrated and right about a third of the time on
 * chains of three; the world's errors are what it can be confident and wrong about.
 */
export class Misconceptions {
  private readonly probability: Float64Array;
  private readonly wrong: Int32Array;

  /** @param seed of the world; the same seed gives the same errors */
  constructor(seed: number) {
    const entries = OPERATIONS.length * MODULUS * MODULUS;
    const random = stream(seed, 'toy', 'misconceptions');
    this.probability = new Float64Array(entries);
    this.wrong = new Int32Array(entries);
    for (const operation of OPERATIONS) {
      for (let a = 0; a < MODULUS; a++) {
        for (let b = 0; b < MODULUS; b++) {
          const entry = entryIndex(operation, a, b);
          this.probability[entry] = beta(0.6, 1.2, random);
          const shift = 1 + random.integer(MODULUS - 1);
          this.wrong[entry] = (applyOperation(operation, a, b) + shift) % MODULUS;
        }
      }
    }
  }

  /** How often the texts have the wrong result for that entry. */
  errorProbability(operation: Operation, a: number, b: number): number {
    return this.probability[entryIndex(operation, a, b)];
  }

  /** The result of that entry in one text of the world. */
  recall(operation: Operation, a: number, b: number, random: RandomStream): number {
    const entry = entryIndex(operation, a, b);
    return random.uniform() < this.probability[entry] ? this.wrong[entry] : applyOperation(operation, a, b);
  }

  /** The intermediate results of a chain in one text of the world; an error is carried on to the steps after it. */
  recallChain(chain: Chain, random: RandomStream): number[] {
    const results: number[] = [];
    let value = chain.start;
    for (const { operation, operand } of chain.steps) {
      value = this.recall(operation, value, operand, random);
      results.push(value);
    }
    return results;
  }
}

/** The index of a table entry, in 0..866. */
export function entryIndex(operation: Operation, a: number, b: number): number {
  return (OPERATIONS.indexOf(operation) * MODULUS + a) * MODULUS + b;
}

/** A Beta(a, b) number by Jöhnk's method, which suits parameters near one. */
function beta(a: number, b: number, random: RandomStream): number {
  for (;;) {
    const x = random.uniform() ** (1 / a);
    const y = random.uniform() ** (1 / b);
    if (x + y > 0 && x + y <= 1) return x / (x + y);
  }
}
