import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileError, InputError } from '@capo/samples';
import { type SpecialTokens, specialTokens, type TokenSource } from '../config/index.js';
import { ChatTemplate } from './chat-template.js';
import { llama2cTokenizer } from './llama2c.js';
import { TextTokenizer, type TokenizerJson } from './text-tokenizer.js';

/** What of a `tokenizer_config.json` is looked at. Tokens are spelled out, or objects with the spelling inside. */
interface TokenizerConfig {
  bos_token?: unknown;
  eos_token?: unknown;
  pad_token?: unknown;
  unk_token?: unknown;
  chat_template?: unknown;
}

/**
 * Loads the tokenizer of a model folder: `tokenizer.json`, or the `tok*.bin` of a llama2.c checkpoint; the special
 * tokens of `generation_config.json`, `config.json` and `tokenizer_config.json`; and the chat template of
 * `chat_template.jinja` or `tokenizer_config.json`.
 *
 * @throws InputError for a folder without a tokenizer or with one that does not parse
 */
export function loadTokenizer(folder: string): TextTokenizer {
  const { json, where } = tokenizerJson(folder);
  const configPath = join(folder, 'tokenizer_config.json');
  const config = (readJson(configPath) ?? {}) as TokenizerConfig;
  const spelled: Record<string, string> = {};
  for (const key of ['bos_token', 'eos_token', 'pad_token', 'unk_token'] as const) {
    const content = (config[key] as { content?: unknown } | null | undefined)?.content ?? config[key];
    if (typeof content === 'string') spelled[key] = content;
  }
  const special = collectSpecialTokens(folder, json, spelled);
  return new TextTokenizer(json, special, chatTemplate(folder, config, configPath, spelled), where);
}

function tokenizerJson(folder: string): { json: TokenizerJson; where: string } {
  const path = join(folder, 'tokenizer.json');
  const json = readJson(path);
  if (json !== undefined) return { json: json as TokenizerJson, where: path };
  const binaries = listFolder(folder).filter((name) => /^tok.*\.bin$/.test(name));
  if (binaries.length === 1) {
    const binary = join(folder, binaries[0]);
    return { json: llama2cTokenizer(readFileSync(binary), binary), where: binary };
  }
  throw new InputError(
    `${folder}: the model has no tokenizer (looked for tokenizer.json and tok*.bin).`,
    'Fetch tokenizer.json from where the model comes from: capo model pull.',
  );
}

function collectSpecialTokens(
  folder: string,
  json: TokenizerJson,
  spelled: Readonly<Record<string, string>>,
): SpecialTokens {
  const sources: TokenSource[] = [];
  for (const name of ['generation_config.json', 'config.json']) {
    const where = join(folder, name);
    const content = readJson(where);
    if (content !== undefined) sources.push({ json: content, where });
  }
  const idOf = (token: string | undefined) => json.added_tokens?.find(({ content }) => content === token)?.id ?? null;
  const own = {
    bos_token_id: idOf(spelled.bos_token),
    eos_token_id: idOf(spelled.eos_token),
    pad_token_id: idOf(spelled.pad_token),
  };
  return specialTokens([...sources, { json: own, where: join(folder, 'tokenizer_config.json') }]);
}

function chatTemplate(
  folder: string,
  config: TokenizerConfig,
  configPath: string,
  tokens: Readonly<Record<string, string>>,
): ChatTemplate | null {
  const file = join(folder, 'chat_template.jinja');
  if (existsSync(file)) return new ChatTemplate(readFileSync(file, 'utf8'), tokens, file);
  const given = config.chat_template;
  // Some models have several, by name.
  const named = Array.isArray(given) ? given.find((item) => item?.name === 'default')?.template : given;
  return typeof named === 'string' ? new ChatTemplate(named, tokens, configPath) : null;
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw fileError(error, 'read', folder);
  }
}

/** The parsed file; undefined when there is none. */
function readJson(path: string): unknown {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw fileError(error, 'read', path);
    throw new InputError(
      `${path}: not valid JSON: ${error.message}`,
      `Fetch ${basename(path)} of ${basename(dirname(path))} again.`,
    );
  }
}
