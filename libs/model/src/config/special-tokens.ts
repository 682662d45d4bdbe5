import { parseConfig } from '@capo/samples';
import { z } from 'zod';

/** The tokens that mean something else than text. */
export interface SpecialTokens {
  /** The token that begins a text; null where the model has none. */
  bos: number | null;
  /** Every token that ends a response. */
  eos: ReadonlySet<number>;
  pad: number | null;
}

const schema = z.looseObject({
  bos_token_id: z.int().nullish(),
  eos_token_id: z.union([z.int(), z.array(z.int())]).nullish(),
  pad_token_id: z.int().nullish(),
});

/** A file that may name special tokens, parsed, and its path for messages. */
export interface TokenSource {
  json: unknown;
  where: string;
}

/**
 * The special tokens that the files of a model name. A chat model's `generation_config.json` often knows more end
 * tokens than its `config.json` (for Qwen2.5 `<|im_end|>` and `<|endoftext|>`), and a sampler that knows only one of
 * them writes on to its limit; so the end tokens of all files count. For the others the first file that names one does.
 */
export function specialTokens(sources: readonly TokenSource[]): SpecialTokens {
  const parsed = sources.map(({ json, where }) => parseConfig(schema, json, where));
  // Some files write -1 for "none".
  const first = (key: 'bos_token_id' | 'pad_token_id') => {
    const ids = parsed.map((file) => file[key] ?? -1);
    return ids.find((id) => id >= 0) ?? null;
  };
  const eos = parsed.flatMap((file) => file.eos_token_id ?? []).filter((id) => id >= 0);
  return { bos: first('bos_token_id'), eos: new Set(eos), pad: first('pad_token_id') };
}
