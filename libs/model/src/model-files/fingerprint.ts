import { createHash } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileError } from '@capo/samples';

/** The files of a model folder that shape what it says. */
const SHAPING =
  /\.safetensors$|^(config|generation_config|tokenizer|tokenizer_config)\.json$|^chat_template\.jinja$|^tok.*\.bin$/;

/**
 * A hash of everything in a model folder that shapes its responses: weights, configuration, tokenizer, chat template. The
 * name of a folder says nothing about what is in it; samples of two versions must not be mixed.
 *
 * @returns the first 16 digits of a SHA-256
 */
export async function modelFingerprint(folder: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    const names = readdirSync(folder).filter((name) => SHAPING.test(name));
    for (const name of names.sort()) {
      const content = createHash('sha256');
      for await (const chunk of createReadStream(join(folder, name))) content.update(chunk);
      hash.update(`${name}\n${content.digest('hex')}\n`);
    }
  } catch (error) {
    throw fileError(error, 'read', folder);
  }
  return hash.digest('hex').slice(0, 16);
}
