import { InputError } from '@capo/samples';
import { Tokenizer } from '@huggingface/tokenizers';
import type { SpecialTokens } from '../config/index.js';
import type { ChatTemplate, Message } from './chat-template.js';

/** What of a `tokenizer.json` is looked at here; the rest belongs to the library. */
export interface TokenizerJson {
  added_tokens?: { id: number; content: string; special?: boolean }[];
  [key: string]: unknown;
}

/** Text to token ids and back, with the special tokens and the chat template of one model. */
export class TextTokenizer {
  /** The number of ids that have a token; a model's vocabulary may be larger, padded to a round number. */
  readonly vocabSize: number;
  private readonly tokenizer: Tokenizer;
  private readonly skipped: ReadonlySet<number>;

  constructor(
    json: TokenizerJson,
    readonly special: SpecialTokens,
    readonly chatTemplate: ChatTemplate | null,
    readonly where: string,
  ) {
    try {
      this.tokenizer = new Tokenizer(json, {});
    } catch (error) {
      throw new InputError(`${where}: not a usable tokenizer: ${(error as Error).message}`, 'Fetch the file again.');
    }
    this.vocabSize = this.tokenizer.get_vocab().size;
    const marked = (json.added_tokens ?? []).filter((token) => token.special).map((token) => token.id);
    const named = [special.bos, special.pad, ...special.eos].filter((id) => id !== null);
    this.skipped = new Set([...marked, ...named]);
  }

  /** The ids of a text as it stands. Special tokens that are spelled out in it become the token; none is added. */
  encode(text: string): number[] {
    return this.tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  /**
   * The ids of a prompt for plain continuation, with the begin token where this tokenizer puts one; a prompt that
   * spells it out gets no second one.
   */
  encodePrompt(text: string): number[] {
    const { ids } = this.tokenizer.encode(text);
    const { bos } = this.special;
    return bos !== null && ids[0] === bos && ids[1] === bos ? ids.slice(1) : ids;
  }

  /**
   * The text and the ids of a conversation through the model's chat template, up to where the answer begins. The
   * template writes all special tokens itself, so none is added.
   *
   * @throws InputError for a model without a template
   */
  encodeChat(messages: readonly Message[]): { text: string; ids: number[] } {
    if (!this.chatTemplate) {
      throw new InputError(
        `${this.where}: the model has no chat template.`,
        'A base model continues plain text: use --route completions.',
      );
    }
    const text = this.chatTemplate.render(messages);
    const ids = this.encode(text);
    const { bos } = this.special;
    if (bos !== null && ids[0] === bos && ids[1] === bos) {
      throw new InputError(`${this.where}: the chat template begins a text with two begin tokens.`);
    }
    return { text, ids };
  }

  /**
   * The text of token ids. Special tokens are left out unless `keepSpecial`; ids without a token, which a model with
   * a padded vocabulary can draw, have no text.
   */
  decode(ids: Iterable<number>, options: { keepSpecial?: boolean } = {}): string {
    const shown = [...ids].filter((id) => this.isToken(id) && (options.keepSpecial || !this.skipped.has(id)));
    if (shown.length === 0) return '';
    // The library's clean-up would remove spaces before punctuation, which the model did write.
    return this.tokenizer.decode(shown, { skip_special_tokens: false, clean_up_tokenization_spaces: false });
  }

  /** Whether there is a token of that id. */
  isToken(id: number): boolean {
    return this.tokenizer.id_to_token(id) !== undefined;
  }

  /** The id of a token given by its exact spelling in the vocabulary. */
  tokenId(token: string): number | undefined {
    return this.tokenizer.token_to_id(token);
  }
}

/**
 * The text of a response while it is drawn, token by token. A token may hold a part of a character only; its text
 * comes with the token that completes it.
 */
export class TextStream {
  private readonly ids: number[] = [];
  /** Before this index everything is done; up to `read` the text was given out and is context for what follows. */
  private context = 0;
  private read = 0;

  constructor(private readonly tokenizer: TextTokenizer) {}

  /** Takes the next token; returns the text that became certain with it. */
  push(id: number): string {
    this.ids.push(id);
    const text = this.pending();
    if (text.endsWith('\uFFFD')) return '';
    this.context = this.read;
    this.read = this.ids.length;
    return text;
  }

  /** The text of an incomplete character at the end, if there is one. */
  end(): string {
    return this.pending();
  }

  private pending(): string {
    const given = this.tokenizer.decode(this.ids.slice(this.context, this.read));
    return this.tokenizer.decode(this.ids.slice(this.context)).slice(given.length);
  }
}
