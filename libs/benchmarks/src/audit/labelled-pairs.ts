import { InputError, readJsonl } from '@capo/samples';

/** A reply, the reference, and what somebody else judged. */
export interface LabelledPair {
  /** Where it stands: file:line. */
  where: string;
  gold: string;
  response: string;
  /** Whether the origin judges them the same. */
  equal: boolean;
  /** What kinds of answer it is an example of. */
  kinds: string[];
  /** The answer that the origin took from the reply: null or empty when it found none, undefined when it does not say. */
  originAnswer?: string | null;
}

/**
 * The labelled pairs of a JSONL file: `{ gold, pred, equal, kinds? }`, or responses with the verdict of the origin,
 * `{ gold, response, originCorrect, originExtracted? }`.
 *
 * @throws InputError with file:line for a record that is neither
 */
export async function readLabelledPairs(path: string): Promise<LabelledPair[]> {
  const pairs: LabelledPair[] = [];
  for await (const { value, where } of readJsonl(path)) {
    const record = (value ?? {}) as Record<string, unknown>;
    const { gold } = record;
    const response = record.pred ?? record.response;
    const isEqual = record.equal ?? record.originCorrect;
    if (typeof gold !== 'string' || typeof response !== 'string' || typeof isEqual !== 'boolean') {
      throw new InputError(
        `${where}: not a labelled pair.`,
        'Each line must have the texts "gold" and "pred" or "response", and "equal" or "originCorrect", true or false.',
      );
    }
    const kinds = Array.isArray(record.kinds) ? record.kinds.map(String) : [];
    const pair: LabelledPair = { where, gold, response, equal: isEqual, kinds };
    const origin = record.originExtracted;
    if (origin !== undefined) pair.originAnswer = origin === null ? null : String(origin);
    pairs.push(pair);
  }
  if (pairs.length === 0) throw new InputError(`${path}: it holds no labelled pairs.`);
  return pairs;
}
