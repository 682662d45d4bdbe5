import { z } from 'zod';
import { readTokenLogprobs, type TokenLogprob } from './token-logprobs.js';

/** One choice of a reply, the same for every route and server. */
export interface Choice {
  index: number;
  text: string;
  stop: 'eos' | 'length' | 'stop-string' | 'unknown';
  tokens: TokenLogprob[] | null;
}

export interface Reply {
  choices: Choice[];
  /** Tokens of all choices together, as the server counts them; null when it does not say. */
  completionTokens: number | null;
  promptTokens: number | null;
}

const choiceSchema = z.looseObject({
  index: z.number().nullish(),
  text: z.string().nullish(),
  message: z.looseObject({ content: z.string().nullish() }).nullish(),
  finish_reason: z.string().nullish(),
  stop_reason: z.unknown().optional(),
  matched_stop: z.unknown().optional(),
});

const replySchema = z.looseObject({
  choices: z.array(choiceSchema).min(1),
  usage: z.looseObject({ completion_tokens: z.number().nullish(), prompt_tokens: z.number().nullish() }).nullish(),
});

/**
 * Checks a reply against what the routes promise and brings it into one form. Choices that repeat an index are left out
 * after the first.
 *
 * @returns undefined for a reply that is none, with the reason
 */
export function readReply(json: unknown): { reply: Reply } | { problem: string } {
  const parsed = replySchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { problem: `${issue.path.join('.') || 'the reply'}: ${issue.message}` };
  }
  const { choices: raw, usage } = parsed.data;
  const choices = new Map<number, Choice>();
  for (const [place, choice] of raw.entries()) {
    const index = choice.index ?? place;
    const text = choice.message?.content ?? choice.text;
    if (text == null) {
      // A chat reply whose message is empty has no text, but it is a reply.
      if (!choice.message) return { problem: `choices.${place}: there is neither a text nor a message` };
    }
    if (choices.has(index)) continue;
    choices.set(index, {
      index,
      text: text ?? '',
      stop: stopOf(choice),
      tokens: readTokenLogprobs(choice, parsed.data),
    });
  }
  const reply: Reply = {
    choices: [...choices.values()].sort((a, b) => a.index - b.index),
    completionTokens: usage?.completion_tokens ?? null,
    promptTokens: usage?.prompt_tokens ?? null,
  };
  return { reply };
}

/** vLLM says in `stop_reason`, SGLang in `matched_stop`, which stop string matched; both name a token by its number. */
function stopOf(choice: z.infer<typeof choiceSchema>): Choice['stop'] {
  if (choice.finish_reason === 'length') return 'length';
  if (choice.finish_reason !== 'stop' && choice.finish_reason !== 'eos') return 'unknown';
  const matched = [choice.stop_reason, choice.matched_stop].some((value) => typeof value === 'string');
  return matched ? 'stop-string' : 'eos';
}
