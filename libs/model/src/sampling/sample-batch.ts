import { InputError, type RandomStream } from '@capo/samples';
import { tf } from '../backend/tf.js';
import type { Decoder } from '../decoder/decoder.js';
import { createKeyValueCache, type KeyValueCache } from '../decoder/key-value-cache.js';
import { drawToken } from './token-distribution.js';
import { checkTruncation, type Truncation, truncates } from './truncation.js';

/** One response to draw. Requests with the same prompt object share its forward pass. */
export interface DrawRequest {
  prompt: Int32Array;
  /** The request's own stream, so that a sample does not depend on its batch. */
  random: RandomStream;
}

export interface SamplingOptions {
  /** The most response tokens, the end token included. */
  maxTokens: number;
  /** 0 takes the most probable token. */
  temperature: number;
  /** Ids that end a response. */
  endTokens: ReadonlySet<number>;
  /** Tokens that cannot be drawn; off when absent. */
  truncation?: Truncation;
  /** Keep the raw log-probabilities too. */
  raw?: boolean;
  /** Keep the mean self-certainty of the tokens too. */
  selfCertainty?: boolean;
  /** Asked after each token that ends nothing by itself; true ends the response, as a stop string does. */
  isComplete?(request: number, token: number): boolean;
  /** Sequences that are decoded side by side. Default 256. */
  batchSize?: number;
}

/** A drawn response. */
export interface DrawnSequence {
  /** The end token is part of it when it was drawn. */
  tokens: Int32Array;
  /** Per token, under the distribution that was sampled from. */
  logprobs: Float64Array;
  /** Per token, in nats. */
  entropies: Float64Array;
  /** Per token, at temperature 1 with nothing cut off; only when they were asked for. */
  rawLogprobs?: Float64Array;
  /** The mean self-certainty of the tokens; only when it was asked for. */
  selfCertainty?: number;
  stop: 'eos' | 'length' | 'stop-string';
}

/** A row of the batch and what it has drawn so far. */
interface Row {
  request: number;
  promptLength: number;
  tokens: number[];
  logprobs: number[];
  entropies: number[];
  rawLogprobs: number[];
  selfCertainty: number;
}

/**
 * Draws responses with a key-value cache. Rows that finish are given to waiting requests at once, so that the batch
 * stays full. The result of a request depends on its prompt and stream alone.
 *
 * @returns one response per request, in their order
 */
export function sampleBatch(
  decoder: Decoder,
  requests: readonly DrawRequest[],
  options: SamplingOptions,
): DrawnSequence[] {
  if (!(options.maxTokens >= 1)) throw new InputError(`maxTokens is ${options.maxTokens}; it must be at least 1.`);
  if (!(options.temperature >= 0)) throw new InputError(`temperature is ${options.temperature}; it must be 0 or more.`);
  if (options.truncation) checkTruncation(options.truncation);
  const truncation = options.truncation && truncates(options.truncation) ? options.truncation : null;
  const drawing = {
    temperature: options.temperature,
    truncation,
    raw: options.raw ?? false,
    selfCertainty: options.selfCertainty ?? false,
  };
  const batchSize = Math.min(options.batchSize ?? 256, requests.length);
  const longest = requests.reduce((length, { prompt }) => Math.max(length, prompt.length), 0);
  const results = new Array<DrawnSequence>(requests.length);
  if (requests.length === 0) return results;

  const { vocab_size: vocab } = decoder.config;
  const scratch = new Float64Array(vocab);
  const rows = new Array<Row | undefined>(batchSize).fill(undefined);
  const cache = createKeyValueCache(decoder.config, batchSize, longest + options.maxTokens);
  let waiting = 0;

  /** Draws the next token of a row from its logits; frees the row when the response is finished. */
  const advance = (index: number, logits: ArrayLike<number>, offset: number): void => {
    const row = rows[index] as Row;
    const { random } = requests[row.request];
    const uniform = options.temperature > 0 ? random.uniform() : 0;
    const drawn = drawToken(logits, offset, vocab, drawing, uniform, scratch);
    row.tokens.push(drawn.token);
    row.logprobs.push(drawn.logprob);
    row.entropies.push(drawn.entropy);
    if (drawn.rawLogprob !== undefined) row.rawLogprobs.push(drawn.rawLogprob);
    row.selfCertainty += drawn.selfCertainty ?? 0;
    const ended = options.endTokens.has(drawn.token);
    const complete = !ended && options.isComplete?.(row.request, drawn.token) === true;
    if (!ended && !complete && row.tokens.length < options.maxTokens) return;
    results[row.request] = {
      tokens: Int32Array.from(row.tokens),
      logprobs: Float64Array.from(row.logprobs),
      entropies: Float64Array.from(row.entropies),
      ...(drawing.raw && { rawLogprobs: Float64Array.from(row.rawLogprobs) }),
      ...(drawing.selfCertainty && { selfCertainty: row.selfCertainty / row.tokens.length }),
      stop: ended ? 'eos' : complete ? 'stop-string' : 'length',
    };
    rows[index] = undefined;
  };

  try {
    for (;;) {
      const free: number[] = [];
      for (let index = 0; index < batchSize && waiting + free.length < requests.length; index++) {
        if (!rows[index]) free.push(index);
      }
      if (free.length > 0) {
        for (const index of free) {
          const { prompt } = requests[waiting];
          const drawn = { tokens: [], logprobs: [], entropies: [], rawLogprobs: [], selfCertainty: 0 };
          rows[index] = { request: waiting++, promptLength: prompt.length, ...drawn };
        }
        const prefilled = prefill(
          decoder,
          cache,
          free,
          free.map((index) => requests[(rows[index] as Row).request].prompt),
        );
        free.forEach((index, i) => {
          advance(index, prefilled.logits, prefilled.sequences[i] * vocab);
        });
        continue; // A row may have ended with its first token.
      }
      if (rows.every((row) => row === undefined)) return results;
      const logits = decodeStep(decoder, cache, rows);
      rows.forEach((row, index) => {
        if (row) advance(index, logits, index * vocab);
      });
    }
  } finally {
    cache.dispose();
  }
}

/** Runs the distinct prompts of new rows and fills the cache; returns the logits that follow each distinct prompt. */
function prefill(decoder: Decoder, cache: KeyValueCache, rows: number[], prompts: Int32Array[]) {
  const distinct = [...new Set(prompts)];
  const indexOf = new Map(distinct.map((prompt, index) => [prompt, index]));
  const sequences = Int32Array.from(prompts, (prompt) => indexOf.get(prompt) as number);
  const starts = new Int32Array(distinct.length + 1);
  distinct.forEach((prompt, index) => {
    if (prompt.length === 0) throw new InputError('A prompt has no tokens, so there is nothing to continue.');
    starts[index + 1] = starts[index] + prompt.length;
  });
  const tokens = new Int32Array(starts[distinct.length]);
  distinct.forEach((prompt, index) => {
    tokens.set(prompt, starts[index]);
  });
  const last = starts.slice(1).map((end) => end - 1);
  cache.target = { rows: Int32Array.from(rows), sequences };
  const logits = tf.tidy(() =>
    decoder
      .logits(decoder.hidden(tokens, starts, last, cache))
      .dataSync()
      .slice(),
  );
  return { sequences, logits };
}

/** The logits after the latest token of every row, [rows * vocab]; rows without a sequence hold numbers of no meaning. */
function decodeStep(decoder: Decoder, cache: KeyValueCache, rows: readonly (Row | undefined)[]): ArrayLike<number> {
  const tokens = Int32Array.from(rows, (row) => row?.tokens.at(-1) ?? 0);
  const positions = Int32Array.from(rows, (row) => (row ? row.promptLength + row.tokens.length - 1 : -1));
  return numbersOf(() => {
    const hidden = decoder.step(tf.tensor1d(tokens, 'int32'), tf.tensor1d(positions, 'int32'), cache);
    return decoder.logits(hidden);
  });
}

/** The numbers of a tensor that is needed no longer. Not through the result of a tidy, which would visit each of them. */
function numbersOf(compute: () => tf.Tensor): ArrayLike<number> {
  const tensor = tf.tidy(compute);
  const numbers = tensor.dataSync().slice();
  tensor.dispose();
  return numbers;
}
