import { InputError, type Sample, stream } from '@capo/samples';
import type { Decoder } from '../decoder/decoder.js';
import { loadPretrained } from '../decoder/pretrained.js';
import type { Completion, Drawn, DrawOptions, Policy, PromptRequest } from '../policy.js';
import { type DrawnSequence, sampleBatch } from '../sampling/sample-batch.js';
import { cutAtStop, StopWatch } from '../sampling/stop-watch.js';
import { truncates } from '../sampling/truncation.js';
import { loadTokenizer, type Message, type TextTokenizer } from '../tokenizer/index.js';
import { scoreSequences } from '../training/sequence-batch.js';

export interface LocalOptions {
  /** chat: through the model's own chat template; completions: plain text. */
  route: 'chat' | 'completions';
  /** A system message before each prompt of the chat route. */
  system?: string | undefined;
  /** Responses that are drawn side by side. Default 64. */
  batchSize?: number | undefined;
}

/** A model of this process as a policy. */
export class LocalPolicy implements Policy {
  readonly name: string;

  private constructor(
    label: string,
    private readonly decoder: Decoder,
    private readonly tokenizer: TextTokenizer,
    private readonly options: LocalOptions,
  ) {
    this.name = `local:${options.route}:${label}`;
  }

  /**
   * Loads a model folder. The backend must be running.
   *
   * @param label what the samples call the model
   * @throws InputError for a model that lacks a tokenizer or whose files do not belong together
   */
  static load(folder: string, label: string, options: LocalOptions): LocalPolicy {
    const tokenizer = loadTokenizer(folder);
    const decoder = loadPretrained(folder);
    if (tokenizer.vocabSize > decoder.config.vocab_size) {
      decoder.dispose();
      throw new InputError(
        `${folder}: the tokenizer has ${tokenizer.vocabSize} tokens, the model only ${decoder.config.vocab_size}.`,
        'Tokenizer and weights are of different models; fetch both again.',
      );
    }
    return new LocalPolicy(label, decoder, tokenizer, options);
  }

  /** Responses come batch by batch. A response depends on its prompt and seed alone. */
  async *sample(requests: readonly PromptRequest[], options: DrawOptions): AsyncGenerator<Drawn> {
    const batchSize = this.options.batchSize ?? 64;
    const { maxTokens, temperature, topK, topP, minP, stop = [] } = options;
    const truncation = { topK, topP, minP };
    // At temperature 0 the value is that of temperature 1 with nothing cut off, which is the model's own.
    const isProcessed = temperature > 0 && (temperature !== 1 || truncates(truncation));
    const endTokens = this.tokenizer.special.eos;
    const encoded = new Map<string, Int32Array>();
    for (let start = 0; start < requests.length; start += batchSize) {
      const batch = requests.slice(start, start + batchSize);
      const draws = batch.map(({ prompt, seed, id }) => {
        // Draws of one prompt share the object, and with it the pass over the prompt.
        const known = encoded.get(prompt) ?? this.encode(prompt, maxTokens, id);
        encoded.set(prompt, known);
        return { prompt: known, random: stream(seed, 'tokens') };
      });
      const watches = stop.length > 0 ? batch.map(() => new StopWatch(this.tokenizer, stop)) : null;
      const drawn = sampleBatch(this.decoder, draws, {
        maxTokens,
        temperature,
        endTokens,
        batchSize,
        truncation,
        raw: isProcessed,
        selfCertainty: true,
        ...(watches && { isComplete: (request, token) => watches[request].push(token) }),
      });
      for (const [i, sequence] of drawn.entries()) {
        const response = this.tokenizer.decode(sequence.tokens);
        const text = sequence.stop === 'stop-string' ? cutAtStop(response, stop) : response;
        yield { request: batch[i], completion: completionOf(sequence, text, temperature, batch[i].seed) };
      }
    }
  }

  /**
   * The response is tokenized as the continuation of the prompt, since on its own it may begin with other tokens.
   *
   * @throws InputError when a token holds the end of the prompt and the beginning of the response
   */
  async score(prompt: string, response: string): Promise<NonNullable<Sample['logprob']>> {
    const { text, ids } = this.promptOf(prompt);
    const whole =
      this.options.route === 'chat'
        ? this.tokenizer.encode(text + response)
        : this.tokenizer.encodePrompt(text + response);
    if (ids.some((id, i) => whole[i] !== id)) {
      throw new InputError(
        'A token holds the end of the prompt and the beginning of the response.',
        'End the prompt at the border of a token, for instance with a line break.',
      );
    }
    this.checkLength(whole.length, 0, 'prompt and response');
    const [perToken] = scoreSequences(this.decoder, [{ prompt: ids, response: whole.slice(ids.length) }]);
    return logprobOf(perToken, { semantics: 'raw', temperature: 1, eosCounted: false });
  }

  async close(): Promise<void> {
    this.decoder.dispose();
  }

  private encode(prompt: string, maxTokens: number, id: string): Int32Array {
    const { ids } = this.promptOf(prompt);
    this.checkLength(ids.length, maxTokens, id);
    return Int32Array.from(ids);
  }

  /** What the model is given: the prompt through the chat template, or as it is. */
  private promptOf(prompt: string): { text: string; ids: number[] } {
    const { route, system } = this.options;
    if (route === 'completions') return { text: prompt, ids: this.tokenizer.encodePrompt(prompt) };
    const messages: Message[] = [{ role: 'user', content: prompt }];
    if (system) messages.unshift({ role: 'system', content: system });
    return this.tokenizer.encodeChat(messages);
  }

  private checkLength(tokens: number, maxTokens: number, what: string): void {
    const limit = this.decoder.config.max_position_embeddings;
    if (tokens + maxTokens <= limit) return;
    throw new InputError(
      `${what}: ${tokens} tokens and ${maxTokens} more do not fit the model's ${limit} positions.`,
      `Choose --max-tokens of at most ${Math.max(1, limit - tokens)}.`,
    );
  }
}

/**
 * A drawn sequence as a completion. Its log-probabilities are of all tokens that were drawn, those included that hold
 * the stop string or a part of it.
 */
function completionOf(
  { tokens, logprobs, rawLogprobs, selfCertainty, stop }: DrawnSequence,
  response: string,
  temperature: number,
  seed: number,
): Completion {
  const eosCounted = stop === 'eos';
  const semantics = temperature > 0 ? 'processed' : 'raw';
  return {
    response,
    tokens: tokens.length,
    logprob: logprobOf(logprobs, { semantics, temperature, eosCounted }),
    ...(rawLogprobs && { rawLogprob: logprobOf(rawLogprobs, { semantics: 'raw', temperature: 1, eosCounted }) }),
    ...(selfCertainty !== undefined && { selfCertainty }),
    stop,
    seed,
  };
}

type LogprobFacts = Pick<NonNullable<Sample['logprob']>, 'semantics' | 'temperature' | 'eosCounted'>;

function logprobOf(perToken: ArrayLike<number>, facts: LogprobFacts): NonNullable<Sample['logprob']> {
  const values = Array.from(perToken);
  if (values.length === 0) return { sum: null, mean: null, ...facts, reason: 'the response has no tokens' };
  const sum = values.reduce((total, value) => total + value, 0);
  return { sum, mean: sum / values.length, perToken: values, ...facts };
}
