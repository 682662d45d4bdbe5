/** The log-probability of one token as a server reported it. */
export interface TokenLogprob {
  token: string;
  /** Null where the server gave none, or one that cannot be. */
  logprob: number | null;
  /** The UTF-8 bytes of the token, where the server tells them; a token may hold a part of a character. */
  bytes: number[] | null;
  /** The most probable tokens at this place, by their text. */
  alternatives: Map<string, number>;
}

type Json = Record<string, unknown>;

/**
 * The log-probabilities of a reply, in whichever of the known shapes they come; null when there are none.
 *
 * - `logprobs.content[]` of chat replies: OpenAI, vLLM, SGLang, newer llama.cpp servers and Ollama
 * - `logprobs.tokens[]` with `token_logprobs[]` and `top_logprobs[]` of completions: OpenAI, vLLM, SGLang
 * - `completion_probabilities[]` of llama.cpp servers, with log-probabilities or, before 2025, probabilities
 * - `logprobs[]`, a plain list, as in Ollama's own replies
 * - `meta_info.output_token_logprobs[]`, lists of three, as in SGLang's own replies
 *
 * @param choice one element of `choices`
 * @param reply the whole reply, where some servers put them
 */
export function readTokenLogprobs(choice: Json, reply: Json): TokenLogprob[] | null {
  for (const place of [choice, reply]) {
    const logprobs = place.logprobs as Json | unknown[] | null | undefined;
    if (Array.isArray(logprobs)) return logprobs.map((item) => fromObject(item as Json));
    if (Array.isArray(logprobs?.content)) return logprobs.content.map((item) => fromObject(item as Json));
    if (Array.isArray(logprobs?.tokens) && Array.isArray(logprobs.token_logprobs)) return fromLists(logprobs);
    if (Array.isArray(place.completion_probabilities)) {
      return place.completion_probabilities.map((item) => fromLlamaCpp(item as Json));
    }
    const output = (place.meta_info as Json | undefined)?.output_token_logprobs;
    if (Array.isArray(output)) {
      return output.map((item) => entry(item?.[2], item?.[0]));
    }
  }
  return null;
}

function fromObject(item: Json): TokenLogprob {
  const read = entry(item?.token, item?.logprob, item?.bytes);
  for (const other of asList(item?.top_logprobs)) setAlternative(read.alternatives, other?.token, other?.logprob);
  return read;
}

function fromLists(logprobs: Json): TokenLogprob[] {
  const values = logprobs.token_logprobs as unknown[];
  const top = asList(logprobs.top_logprobs);
  return (logprobs.tokens as unknown[]).map((token, i) => {
    const read = entry(token, values[i]);
    for (const [other, value] of Object.entries(top[i] ?? {})) setAlternative(read.alternatives, other, value);
    return read;
  });
}

function fromLlamaCpp(item: Json): TokenLogprob {
  if (item?.logprob !== undefined) return fromObject(item);
  const read = entry(item?.token ?? item?.content, null, item?.bytes);
  for (const other of [...asList(item?.probs), ...asList(item?.top_probs)]) {
    setAlternative(read.alternatives, other?.tok_str ?? other?.token, logOf(other?.prob));
  }
  read.logprob = validLogprob(logOf(item?.prob)) ?? read.alternatives.get(read.token) ?? null;
  return read;
}

function entry(token: unknown, logprob: unknown, bytes?: unknown): TokenLogprob {
  return {
    token: typeof token === 'string' ? token : '',
    logprob: validLogprob(logprob),
    bytes: Array.isArray(bytes) ? bytes.map(Number) : null,
    alternatives: new Map(),
  };
}

/**
 * The number if it can be a log-probability. -9999 and below stand for minus infinity in OpenAI's and vLLM's replies; a
 * token that was drawn cannot have that. Rounding may lift certainty a little above 0.
 */
function validLogprob(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= -9999 || value > 1e-3) return null;
  return Math.min(value, 0);
}

function logOf(probability: unknown): number | null {
  return typeof probability === 'number' && probability > 0 ? Math.log(probability) : null;
}

function setAlternative(alternatives: Map<string, number>, token: unknown, value: unknown): void {
  const logprob = validLogprob(value);
  if (typeof token === 'string' && logprob !== null) alternatives.set(token, logprob);
}

function asList(value: unknown): Json[] {
  return Array.isArray(value) ? value : [];
}
