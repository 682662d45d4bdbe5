import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileError, InputError } from '@capo/samples';
import { type Dtype, encode, formatOf, type TensorData } from './dtype.js';
import type { TensorSource } from './reader.js';

/**
 * A tensor whose values are in memory, in float32 or 64-bit integers where no other format is given.
 *
 * @throws InputError when the number of values is not that of the shape
 */
export function tensorOf(data: TensorData, shape: readonly number[], dtype?: Dtype): TensorSource {
  const elements = shape.reduce((product, size) => product * size, 1);
  if (data.length !== elements) throw new InputError(`A tensor of shape [${shape}] cannot have ${data.length} values.`);
  return {
    dtype: dtype ?? (data instanceof Float32Array ? 'F32' : 'I64'),
    shape,
    read: (start, end) => data.subarray(start, end),
  };
}

/** The number of bytes that the tensor takes in a file. */
export function tensorBytes(tensor: TensorSource): number {
  return tensor.shape.reduce((product, size) => product * size, formatOf(tensor.dtype).bytes);
}

/** How many elements are read, converted and written at a time. */
const CHUNK_ELEMENTS = 1 << 22;

/**
 * Writes a safetensors file, completely or not at all: a temporary file in the same folder, flushed to the disk, then
 * renamed. Equal content gives equal bytes: wide formats come first so that every tensor starts on a multiple of its
 * element size, tensors of one width are ordered by name, and the header is padded to a multiple of 8. Values are
 * read, converted and written in parts of 16 MB, so that converting a model needs no more memory than that.
 *
 * @throws InputError that names a tensor whose values do not fit its format; ExternalError for a full disk
 */
export function writeSafetensors(
  path: string,
  tensors: ReadonlyMap<string, TensorSource>,
  metadata: Record<string, string> = {},
): void {
  const ordered = [...tensors].sort(
    ([nameA, a], [nameB, b]) => formatOf(b.dtype).bytes - formatOf(a.dtype).bytes || (nameA < nameB ? -1 : 1),
  );
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(temporary, 'w');
    try {
      writeFully(file, encodeHeader(ordered, metadata));
      for (const [name, tensor] of ordered) writeTensor(file, name, tensor);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw fileError(error, 'write', path);
  }
}

function encodeHeader(ordered: [string, TensorSource][], metadata: Record<string, string>): Uint8Array {
  const entries: [string, unknown][] = [];
  const notes = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  if (notes.length > 0) entries.push(['__metadata__', Object.fromEntries(notes)]);
  let offset = 0;
  for (const [name, tensor] of ordered) {
    if (name === '__metadata__') throw new InputError('No tensor may be named "__metadata__".');
    const end = offset + tensorBytes(tensor);
    entries.push([name, { dtype: tensor.dtype, shape: tensor.shape, data_offsets: [offset, end] }]);
    offset = end;
  }
  const json = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  const length = Math.ceil(json.length / 8) * 8;
  const header = Buffer.alloc(8 + length, ' ');
  header.writeBigUInt64LE(BigInt(length), 0);
  json.copy(header, 8);
  return header;
}

function writeTensor(file: number, name: string, tensor: TensorSource): void {
  const elements = tensor.shape.reduce((product, size) => product * size, 1);
  for (let start = 0; start < elements; start += CHUNK_ELEMENTS) {
    const end = Math.min(start + CHUNK_ELEMENTS, elements);
    const data = tensor.read(start, end);
    writeFully(file, encode(name, tensor.dtype, data, 0, data.length));
  }
}

function writeFully(file: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(file, bytes, offset);
}
