import { ExternalError, type Sample } from '@capo/samples';
import type { TokenLogprob } from './token-logprobs.js';

/**
 * The log-probability of a response from the echo of prompt and response. The echo is cut where the response begins,
 * which must be the border of a token, and after it: the one token that a server draws in addition is left out.
 *
 * @param tokens of the echo; the first one of a prompt has no log-probability
 * @throws ExternalError when the server did not echo, or when a token reaches over the border
 */
export function scoreFromEcho(
  tokens: readonly Pick<TokenLogprob, 'token' | 'logprob'>[],
  prompt: string,
  response: string,
): NonNullable<Sample['logprob']> {
  const total = prompt.length + response.length;
  const echo = tokens.map(({ token }) => token).join('');
  if (!echo.startsWith(prompt + response)) {
    throw new ExternalError(
      'The server did not echo prompt and response with log-probabilities.',
      'Scoring given responses needs a server with echo (vLLM has it).',
    );
  }
  const scored: (number | null)[] = [];
  let position = 0;
  for (const { token, logprob } of tokens) {
    if (position >= total) break;
    if (position < prompt.length && position + token.length > prompt.length) {
      throw new ExternalError(
        `The token ${JSON.stringify(token)} holds the end of the prompt and the beginning of the response.`,
        'End the prompt at the border of a token, for instance with a line break.',
      );
    }
    if (position >= prompt.length) scored.push(logprob);
    position += token.length;
  }
  const base = { perToken: scored, semantics: 'raw' as const, temperature: 1, eosCounted: false };
  const missing = scored.filter((value) => value === null).length;
  if (missing > 0 || scored.length === 0) {
    const reason = missing > 0 ? `${missing} of ${scored.length} log-probabilities are missing` : 'an empty response';
    return { sum: null, mean: null, ...base, reason };
  }
  const sum = (scored as number[]).reduce((a, b) => a + b, 0);
  return { sum, mean: sum / scored.length, ...base };
}
