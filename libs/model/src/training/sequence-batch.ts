import { InputError } from '@capo/samples';
import { tf } from '../backend/tf.js';
import type { Decoder } from '../decoder/decoder.js';
import { type TokenLogprobs, tokenLogprob } from '../ops/token-logprob.js';

/** A prompt and the response to be scored or learnt, as token ids. */
export interface Sequence {
  prompt: ArrayLike<number>;
  /** May be empty: such a sequence has no scored token. */
  response: ArrayLike<number>;
}

/**
 * Sequences laid out for one forward pass, one after the other without padding, with the list of the positions that
 * count. What counts follows from the true lengths of prompt and response, never from the value of a token.
 */
export interface SequenceBatch {
  /** The ids of all sequences. */
  tokens: Int32Array;
  /** The first row of each sequence, and the number of rows at the end. */
  starts: Int32Array;
  /** For each response token: the row whose hidden state predicts it (the position before it). */
  rows: Int32Array;
  /** For each response token: its id. */
  targets: Int32Array;
  /** For each response token: the index of its sequence. */
  sequences: Int32Array;
  /** Response tokens per sequence. */
  responseLengths: Int32Array;
}

/** Lays out sequences. @throws InputError for an empty prompt, whose first response token nothing would predict */
export function packSequences(sequences: readonly Sequence[]): SequenceBatch {
  const total = sequences.reduce((sum, { prompt, response }) => sum + prompt.length + response.length, 0);
  const count = sequences.reduce((sum, { response }) => sum + response.length, 0);
  const batch: SequenceBatch = {
    tokens: new Int32Array(total),
    starts: new Int32Array(sequences.length + 1),
    rows: new Int32Array(count),
    targets: new Int32Array(count),
    sequences: new Int32Array(count),
    responseLengths: Int32Array.from(sequences, ({ response }) => response.length),
  };
  let next = 0;
  let start = 0;
  sequences.forEach(({ prompt, response }, index) => {
    if (prompt.length === 0) throw new InputError(`The prompt of sequence ${index} has no tokens.`);
    batch.tokens.set(prompt, start);
    batch.tokens.set(response, start + prompt.length);
    for (let t = 0; t < response.length; t++, next++) {
      batch.rows[next] = start + prompt.length + t - 1;
      batch.targets[next] = response[t];
      batch.sequences[next] = index;
    }
    start += prompt.length + response.length;
    batch.starts[index + 1] = start;
  });
  return batch;
}

/**
 * The log-probability of every response token of a batch and the entropy of the distribution that it came from, in the
 * order of `batch.targets`: the hidden state at position t - 1 scores the token at t. Differentiable with respect to
 * the decoder's parameters. The batch holds at least one response token.
 */
export function scoreBatch(decoder: Decoder, batch: SequenceBatch, temperature = 1): TokenLogprobs {
  return tf.tidy(() => {
    const predicting = decoder.hidden(batch.tokens, batch.starts, batch.rows);
    const scored = tokenLogprob(decoder.logits(predicting), tf.tensor1d(batch.targets, 'int32'), temperature);
    return scored as TokenLogprobs & tf.TensorContainerObject;
  });
}

/** The log-probabilities of the response tokens of each sequence, as plain numbers. An empty response gives an empty row. */
export function scoreSequences(decoder: Decoder, sequences: readonly Sequence[], temperature = 1): Float32Array[] {
  const batch = packSequences(sequences);
  let flat = new Float32Array(0);
  if (batch.targets.length > 0) {
    const scored = scoreBatch(decoder, batch, temperature);
    flat = scored.logprob.dataSync().slice() as Float32Array<ArrayBuffer>;
    tf.dispose([scored.logprob, scored.entropy]);
  }
  let start = 0;
  return Array.from(batch.responseLengths, (length) => {
    const row = flat.subarray(start, start + length);
    start += length;
    return row;
  });
}
