import { readFileSync } from 'node:fs';
import { fileError, InputError, readJsonl } from '@capo/samples';
import type { SetSource } from './manifest.js';

/** One record of a source's file. */
export type Row = Record<string, unknown>;

/**
 * The records of a JSONL, JSON or Parquet file.
 *
 * @throws InputError for a file that is not of its format, naming what and where
 */
export async function readRows(path: string, format: SetSource['format']): Promise<Row[]> {
  if (format === 'jsonl') {
    const rows: Row[] = [];
    for await (const { value, where } of readJsonl(path)) rows.push(asRow(value, where));
    return rows;
  }
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw fileError(error, 'read', path);
  }
  if (format === 'parquet') return readParquet(bytes, path);
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new InputError(`${path}: not valid JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(json)) throw new InputError(`${path}: not a list of problems.`);
  return json.map((value, i) => asRow(value, `${path}[${i}]`));
}

function asRow(value: unknown, where: string): Row {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new InputError(`${where}: not an object.`);
  return value as Row;
}

async function readParquet(bytes: Buffer, path: string): Promise<Row[]> {
  const { parquetReadObjects } = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  try {
    return (await parquetReadObjects({ file, compressors })).map((value, i) => asRow(value, `${path}[${i}]`));
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${path}: not a readable Parquet file: ${(error as Error).message}`);
  }
}
