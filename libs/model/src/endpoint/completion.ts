import type { Sample } from '@capo/samples';
import type { Completion } from '../policy.js';
import type { Choice } from './reply.js';
import type { TokenLogprob } from './token-logprobs.js';

/** What is known of a reply beyond the choice itself. */
export interface CompletionContext {
  /** `raw` or `processed`, as the probe found; null when nothing can be said, and then there is no log-probability. */
  semantics: 'raw' | 'processed' | null;
  temperature: number;
  seed: number | null;
  /** The server's own count of the tokens of this choice; null when it is not known. */
  completionTokens: number | null;
}

/**
 * A choice of a server as a completion. A sum over log-probabilities of which some are missing or impossible would be
 * too high, so sum and mean are then null, with the reason and the counts.
 */
export function toCompletion(choice: Choice, context: CompletionContext): Completion {
  return {
    response: choice.text,
    tokens: context.completionTokens ?? choice.tokens?.length ?? null,
    logprob: toLogprob(choice, context),
    stop: choice.stop,
    seed: context.seed,
  };
}

function toLogprob({ tokens, text, stop }: Choice, context: CompletionContext): Sample['logprob'] {
  if (context.semantics === null) return null;
  const { semantics, temperature } = context;
  if (tokens === null) {
    const reason = 'the server gave no log-probabilities for this response';
    return { sum: null, mean: null, semantics, temperature, eosCounted: false, reason };
  }
  const perToken = tokens.map(({ logprob }) => logprob);
  const missing = perToken.filter((value) => value === null).length;
  const base = { semantics, temperature, eosCounted: stop === 'eos' && endsWithEndToken(tokens, text) };
  const unknown = (reason: string) => ({ sum: null, mean: null, perToken, ...base, reason });
  if (missing > 0) return unknown(`${missing} of ${perToken.length} log-probabilities are missing or infinite`);
  // Some servers leave the end token out of the list; what is shorter than that has lost tokens.
  if (context.completionTokens !== null && context.completionTokens - perToken.length > 1) {
    return unknown(
      `the server counts ${context.completionTokens} tokens and gave ${perToken.length} log-probabilities`,
    );
  }
  if (perToken.length === 0) return unknown('the response has no tokens');
  const sum = (perToken as number[]).reduce((total, value) => total + value, 0);
  return { sum, mean: sum / perToken.length, perToken, ...base };
}

/** Whether the last token of the list is the end token, which is not part of the text. */
function endsWithEndToken(tokens: readonly TokenLogprob[], text: string): boolean {
  const last = tokens.at(-1);
  if (!last) return false;
  if (last.token === '') return true;
  // Some servers trim the text.
  if (last.token.trim() === '') return false;
  if (last.bytes && last.bytes.length > 0) {
    const ending = Buffer.from(last.bytes);
    return !Buffer.from(text).subarray(-ending.length).equals(ending);
  }
  // A part of a character cannot be compared with the text; an end token is whole.
  if (last.token.includes('\uFFFD')) return false;
  return !text.trimEnd().endsWith(last.token.trimEnd());
}
