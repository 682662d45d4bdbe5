import { readFileSync } from 'node:fs';
import { fileError, InputError } from '@capo/samples';
import { parse } from 'yaml';

/** The content of a YAML or JSON configuration file; an empty object for no file or an empty one. */
export function readConfigFile(path: string | undefined): unknown {
  if (path === undefined) return {};
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw fileError(error, 'read', path);
  }
  try {
    return parse(text) ?? {};
  } catch (error) {
    throw new InputError(`${path}: ${(error as Error).message}`, 'The file must be YAML or JSON.');
  }
}
