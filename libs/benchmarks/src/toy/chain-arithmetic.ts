import type { Problem } from '../problem.js';

/** All arithmetic of the toy task is modulo this prime, so that a number is one token. */
export const MODULUS = 17;

/** The operations of the toy task. */
export type Operation = '+' | '-' | '*';
export const OPERATIONS: readonly Operation[] = ['+', '-', '*'];

/** The text of each token id: the residues 0..16, the operations, `=`, the end of a prompt, the answer marker, the end. */
export const TOY_VOCABULARY: readonly string[] = [
  ...Array.from({ length: MODULUS }, (_, residue) => String(residue)),
  ...OPERATIONS,
  '=',
  ':',
  '####',
  '<eos>',
];

const tokenIds = new Map(TOY_VOCABULARY.map((text, id) => [text, id]));

/** The id of the token that ends a response. */
export const TOY_END_TOKEN = tokenIds.get('<eos>') as number;

/** A chain to be worked from left to right: start, then an operation and an operand for each step. */
export interface Chain {
  start: number;
  steps: readonly { operation: Operation; operand: number }[];
}

/** A toy problem: text for people, tokens for the model. */
export interface ToyProblem extends Problem {
  chain: Chain;
  promptTokens: Int32Array;
}

/** The right result of one step, in 0..16. */
export function applyOperation(operation: Operation, a: number, b: number): number {
  const result = operation === '+' ? a + b : operation === '-' ? a - b : a * b;
  return ((result % MODULUS) + MODULUS) % MODULUS;
}

/** The right intermediate results, one per step; the last is the answer. */
export function intermediateResults(chain: Chain): number[] {
  const results: number[] = [];
  let value = chain.start;
  for (const { operation, operand } of chain.steps) {
    value = applyOperation(operation, value, operand);
    results.push(value);
  }
  return results;
}

/** The chain as a prompt: `7 * 5 + 3 :`. Every token is a word, so text and tokens map one to one. */
export function chainText(chain: Chain): string {
  return [chain.start, ...chain.steps.flatMap(({ operation, operand }) => [operation, operand]), ':'].join(' ');
}

/** Token ids of a text whose words are all in the vocabulary. @throws RangeError for any other word */
export function encodeToy(text: string): Int32Array {
  return Int32Array.from(text.split(' '), (word) => {
    const id = tokenIds.get(word);
    if (id === undefined) throw new RangeError(`"${word}" is not a word of the toy task.`);
    return id;
  });
}

/** The text of token ids; the end token, which is no text, is left out. */
export function decodeToy(ids: ArrayLike<number>): string {
  return Array.from(ids)
    .filter((id) => id !== TOY_END_TOKEN)
    .map((id) => TOY_VOCABULARY[id])
    .join(' ');
}

/**
 * A worked solution as the model writes it, with the given intermediate results: `7 * 5 = 1 + 3 = 4 #### 4`, then
 * the end token. Each step restates its operation and operand, so that a step can be read off the tokens before it.
 */
export function solutionTokens(chain: Chain, results: readonly number[]): Int32Array {
  const steps = chain.steps.map(({ operation, operand }, i) => `${operation} ${operand} = ${results[i]}`);
  return encodeToy(`${chain.start} ${steps.join(' ')} #### ${results[results.length - 1]} <eos>`);
}

/** The length of a response to a chain of that many steps: start, four tokens a step, marker, answer, end. */
export function solutionLength(steps: number): number {
  return 4 * steps + 4;
}

/** A chain as a problem of a benchmark. */
export function toyProblem(benchmark: string, id: string, chain: Chain): ToyProblem {
  const prompt = chainText(chain);
  const gold = String(intermediateResults(chain).at(-1));
  return { id, benchmark, prompt, gold, chain, promptTokens: encodeToy(prompt) };
}
