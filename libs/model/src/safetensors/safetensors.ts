import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { fileError, InputError, writeFileAtomic } from '@capo/samples';
import { DTYPE_BYTES, type Dtype, decodeNumbers } from './dtype.js';

/** A tensor to be written: float32 numbers and a shape. */
export interface TensorData {
  shape: readonly number[];
  data: Float32Array;
}

/** What a file holds. */
export interface SafetensorsFile {
  metadata: Record<string, string>;
  tensors: Map<string, TensorData>;
}

/** The format's own limit on the length of the header. */
const MAX_HEADER_BYTES = 100_000_000;

interface HeaderEntry {
  dtype: Dtype;
  shape: number[];
  data_offsets: [number, number];
}

const sizeOf = (shape: readonly number[]) => shape.reduce((product, extent) => product * extent, 1);

/**
 * Writes float32 tensors in the safetensors format, atomically: eight bytes of header length, a JSON header padded with
 * spaces to a multiple of eight, then the data. Names are sorted, so equal tensors give equal bytes.
 */
export function writeSafetensors(
  path: string,
  tensors: ReadonlyMap<string, TensorData>,
  metadata: Record<string, string> = {},
): void {
  const header: Record<string, unknown> = { __metadata__: metadata };
  const names = [...tensors.keys()].sort();
  let offset = 0;
  for (const name of names) {
    const { shape, data } = tensors.get(name) as TensorData;
    if (sizeOf(shape) !== data.length) {
      throw new InputError(
        `The tensor "${name}" has ${data.length} numbers, which its shape [${shape}] does not hold.`,
      );
    }
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  const json = Buffer.from(JSON.stringify(header));
  const headerBytes = Math.ceil(json.length / 8) * 8;
  const file = Buffer.alloc(8 + headerBytes + offset, ' ');
  file.writeBigUInt64LE(BigInt(headerBytes), 0);
  json.copy(file, 8);
  let start = 8 + headerBytes;
  for (const name of names) {
    const { data } = tensors.get(name) as TensorData;
    for (let i = 0; i < data.length; i++) file.writeFloatLE(data[i], start + 4 * i);
    start += data.byteLength;
  }
  writeFileAtomic(path, file);
}

/**
 * Reads a safetensors file, checking the header against the file: every tensor must have a known type, a range that
 * its shape fills, and lie inside the file; ranges may not overlap or leave gaps.
 *
 * @throws InputError that names the file and the tensor
 */
export function readSafetensors(path: string): SafetensorsFile {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw fileError(error, 'read', path);
  }
  try {
    const bytes = fstatSync(file).size;
    const read = (start: number, length: number): Uint8Array => {
      const buffer = new Uint8Array(length);
      for (let done = 0; done < length; ) {
        const count = readSync(file, buffer, done, length - done, start + done);
        if (count === 0) throw new InputError(`${path}: the file is cut off at byte ${start + done}.`);
        done += count;
      }
      return buffer;
    };
    const headerBytes = bytes < 8 ? -1 : Number(new DataView(read(0, 8).buffer).getBigUint64(0, true));
    if (headerBytes < 2 || headerBytes > MAX_HEADER_BYTES || 8 + headerBytes > bytes) {
      throw new InputError(`${path}: not a safetensors file, or cut off inside its header.`);
    }
    const header = parseHeader(path, new TextDecoder().decode(read(8, headerBytes)));
    const start = 8 + headerBytes;
    checkRanges(path, header.entries, bytes - start);
    const tensors = new Map<string, TensorData>();
    for (const [name, { dtype, shape, data_offsets: range }] of header.entries) {
      const data = decodeNumbers(dtype, read(start + range[0], range[1] - range[0]));
      tensors.set(name, { shape, data });
    }
    return { metadata: header.metadata, tensors };
  } finally {
    closeSync(file);
  }
}

function parseHeader(path: string, text: string) {
  let header: Record<string, unknown>;
  try {
    header = JSON.parse(text);
  } catch (error) {
    throw new InputError(`${path}: the header is not JSON: ${(error as Error).message}`);
  }
  const entries = new Map<string, HeaderEntry>();
  for (const [name, value] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const entry = value as HeaderEntry;
    const isCount = (item: unknown) => Number.isSafeInteger(item) && (item as number) >= 0;
    if (!Array.isArray(entry?.shape) || !entry.shape.every(isCount) || !entry.data_offsets?.every?.(isCount)) {
      throw new InputError(`${path}: the header's entry of the tensor "${name}" is malformed.`);
    }
    if (!(entry.dtype in DTYPE_BYTES)) {
      const known = Object.keys(DTYPE_BYTES).join(', ');
      throw new InputError(`${path}: the tensor "${name}" has the type ${entry.dtype}; supported: ${known}.`);
    }
    entries.set(name, entry);
  }
  return { metadata: (header.__metadata__ ?? {}) as Record<string, string>, entries };
}

function checkRanges(path: string, entries: ReadonlyMap<string, HeaderEntry>, dataBytes: number): void {
  const sorted = [...entries].sort(([, a], [, b]) => a.data_offsets[0] - b.data_offsets[0]);
  let reached = 0;
  for (const [name, { dtype, shape, data_offsets: range }] of sorted) {
    if (range[1] - range[0] !== sizeOf(shape) * DTYPE_BYTES[dtype]) {
      throw new InputError(`${path}: the tensor "${name}" of shape [${shape}] does not fill its range of bytes.`);
    }
    if (range[0] !== reached) throw new InputError(`${path}: the tensor "${name}" overlaps another or leaves a gap.`);
    reached = range[1];
  }
  if (reached !== dataBytes) {
    throw new InputError(
      `${path}: the header speaks of ${reached} bytes of data, the file has ${dataBytes}.`,
      'The file is cut off or was changed; fetch or write it again.',
    );
  }
}
