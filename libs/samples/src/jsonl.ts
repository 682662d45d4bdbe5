import {
  closeSync,
  createReadStream,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { fileError, InputError } from './errors.js';
import { toJsonLine } from './json.js';

/** One parsed line and the place it came from. */
export interface JsonlLine {
  value: unknown;
  /** Counted from 1. */
  line: number;
  /** `file:line`, for messages. */
  where: string;
}

export interface ReadJsonlOptions {
  /** Called when the last line was cut off and is left out. */
  onWarning?: (message: string) => void;
  /** The longest line that is read, in characters; a longer one is an error. Default 64 Mi. */
  maxLineLength?: number;
}

/**
 * Reads a JSONL file line by line with bounded memory. An unterminated last line that does not parse is what a killed
 * writer leaves: it is left out with a warning. A bad line anywhere else is an error with its number. A byte order
 * mark, CRLF and blank lines are accepted.
 *
 * @throws InputError for a missing file or a bad line
 */
export async function* readJsonl(path: string, options: ReadJsonlOptions = {}): AsyncGenerator<JsonlLine> {
  const maxLineLength = options.maxLineLength ?? 64 * 1024 * 1024;
  let line = 0;
  let pending = '';
  const parse = (text: string, terminated: boolean): JsonlLine | undefined => {
    line++;
    const content = line === 1 ? text.replace(/^\uFEFF/, '') : text;
    if (content.trim() === '') return undefined;
    try {
      return { value: JSON.parse(content), line, where: `${path}:${line}` };
    } catch (error) {
      if (!terminated) {
        options.onWarning?.(`${path}:${line}: the last line is cut off and was left out.`);
        return undefined;
      }
      throw new InputError(
        `${path}:${line}: not valid JSON: ${(error as Error).message}`,
        'Repair or remove the line; every line of the file must be one JSON object.',
      );
    }
  };
  const tooLong = () => new InputError(`${path}:${line + 1}: the line is longer than ${maxLineLength} characters.`);
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 16 })) {
      pending += chunk;
      let start = 0;
      for (let end = pending.indexOf('\n', start); end >= 0; end = pending.indexOf('\n', start)) {
        if (end - start > maxLineLength) throw tooLong();
        const parsed = parse(pending.slice(start, end), true);
        start = end + 1;
        if (parsed) yield parsed;
      }
      pending = pending.slice(start);
      if (pending.length > maxLineLength) throw tooLong();
    }
  } catch (error) {
    throw fileError(error, 'read', path);
  }
  if (pending !== '') {
    const parsed = parse(pending, false);
    if (parsed) yield parsed;
  }
}

/**
 * Appends records to a JSONL file, one write per call, so that a killed process leaves at most one cut-off last line.
 * Opening a file whose last line was cut off removes that line first: what follows must start on a line of its own.
 */
export class JsonlWriter {
  private readonly file: number;

  constructor(private readonly path: string) {
    try {
      mkdirSync(dirname(path), { recursive: true });
      repairTail(path);
      this.file = openSync(path, 'a');
    } catch (error) {
      throw fileError(error, 'open', path);
    }
  }

  /** @throws ExternalError when the disk is full; InputError for a value that JSON cannot hold */
  append(...values: unknown[]): void {
    if (values.length === 0) return;
    const text = Buffer.from(values.map((value) => `${toJsonLine(value)}\n`).join(''));
    try {
      for (let offset = 0; offset < text.length; ) offset += writeSync(this.file, text, offset);
    } catch (error) {
      throw fileError(error, 'write', this.path);
    }
  }

  close(): void {
    closeSync(this.file);
  }
}

/** Cuts an unterminated last line off a file; returns whether there was one. */
export function repairTail(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, 'r+');
  try {
    const size = fstatSync(file).size;
    const block = Buffer.alloc(1 << 16);
    for (let end = size; end > 0; ) {
      const length = Math.min(block.length, end);
      readSync(file, block, 0, length, end - length);
      const lineBreak = block.subarray(0, length).lastIndexOf(0x0a);
      if (lineBreak >= 0) {
        const keep = end - length + lineBreak + 1;
        if (keep < size) ftruncateSync(file, keep);
        return keep < size;
      }
      end -= length;
    }
    if (size > 0) ftruncateSync(file, 0);
    return size > 0;
  } finally {
    closeSync(file);
  }
}
