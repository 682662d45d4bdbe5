import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileError } from '@capo/samples';

const TOKENIZER_FILES = [
  /^tokenizer(_config)?\.json$/,
  /^generation_config\.json$/,
  /^chat_template\.jinja$/,
  /^tok.*\.bin$/,
  /^(vocab|merges|special_tokens_map|added_tokens)\.(json|txt)$/,
];

/** Copies the files of a model's tokenizer to another folder, which is made. Returns their names. */
export function copyTokenizer(from: string, to: string): string[] {
  try {
    mkdirSync(to, { recursive: true });
    const names = readdirSync(from).filter((name) => TOKENIZER_FILES.some((pattern) => pattern.test(name)));
    for (const name of names) cpSync(join(from, name), join(to, name), { dereference: true });
    return names;
  } catch (error) {
    throw fileError(error, 'copy the tokenizer from', from);
  }
}
