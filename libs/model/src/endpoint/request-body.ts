import type { DrawOptions } from '../policy.js';

/** The two ways to ask for text: a conversation that the server puts into its chat template, or plain text. */
export type Route = 'chat' | 'completions';

/** Where a route lies below the base address. */
export const ROUTE_PATHS: Record<Route, string> = { chat: 'chat/completions', completions: 'completions' };

/** What a server understands; found out by the probe. */
export interface Dialect {
  /** Newer OpenAI models accept only the second. */
  maxTokensKey: 'max_tokens' | 'max_completion_tokens';
  sendsLogprobs: boolean;
  sendsSeed: boolean;
}

export const FULL_DIALECT: Dialect = { maxTokensKey: 'max_tokens', sendsLogprobs: true, sendsSeed: true };

export interface BodyOptions extends DrawOptions {
  model: string;
  system?: string | undefined;
  prompt: string;
  seed: number | null;
  choices: number;
  /** How many of the most probable tokens are told for each place. */
  alternatives: number;
}

/**
 * The body of one request. At least one alternative is asked for: a llama.cpp server takes 0 for "no log-probabilities
 * at all".
 */
export function requestBody(route: Route, dialect: Dialect, options: BodyOptions): Record<string, unknown> {
  const body: Record<string, unknown> = { model: options.model };
  if (route === 'chat') {
    const system = options.system ? [{ role: 'system', content: options.system }] : [];
    body.messages = [...system, { role: 'user', content: options.prompt }];
  } else {
    body.prompt = options.prompt;
  }
  body[dialect.maxTokensKey] = options.maxTokens;
  body.temperature = options.temperature;
  if (options.topP !== undefined) body.top_p = options.topP;
  if (options.topK !== undefined) body.top_k = options.topK;
  if (options.minP !== undefined) body.min_p = options.minP;
  if (options.stop && options.stop.length > 0) body.stop = options.stop;
  if (options.choices > 1) body.n = options.choices;
  if (dialect.sendsSeed && options.seed !== null) body.seed = options.seed;
  if (dialect.sendsLogprobs) {
    if (route === 'chat') Object.assign(body, { logprobs: true, top_logprobs: options.alternatives });
    else body.logprobs = options.alternatives;
  }
  return body;
}

/**
 * The dialect without what the server complained about, by the name of the parameter in its words; undefined when the
 * complaint is about something else.
 */
export function adapt(dialect: Dialect, complaint: string): Dialect | undefined {
  if (dialect.maxTokensKey === 'max_tokens' && complaint.includes('max_completion_tokens')) {
    return { ...dialect, maxTokensKey: 'max_completion_tokens' };
  }
  if (dialect.sendsLogprobs && complaint.includes('logprobs')) return { ...dialect, sendsLogprobs: false };
  if (dialect.sendsSeed && /\bseed\b/.test(complaint)) return { ...dialect, sendsSeed: false };
  return undefined;
}
