import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { fileError, InputError } from '@capo/samples';
import { allocate, type Dtype, formatOf, type TensorData } from './dtype.js';
import { headerLength, parseHeader, type TensorPlace } from './header.js';

/** What can be written as a tensor: its format, its shape and a way to get its values when they are needed. */
export interface TensorSource {
  dtype: Dtype;
  shape: readonly number[];
  /**
   * The values from index `start` (default 0) to before `end` (default all), row-major: floats as float32, integers
   * as 64-bit integers.
   */
  read(start?: number, end?: number): TensorData;
}

/** One tensor of a file. Its values stay on the disk until `read` is called, and each call reads them anew. */
export interface TensorEntry extends TensorSource {
  name: string;
  /** The file that holds it. */
  path: string;
}

export interface Safetensors {
  metadata: Record<string, string>;
  tensors: Map<string, TensorEntry>;
}

/** How much of a tensor is converted at a time. A multiple of every format's size. */
const CHUNK_BYTES = 1 << 20;

/**
 * Opens a safetensors file: the header is read and checked, the values are read on demand, so that memory holds the
 * tensors that were asked for in float32 and one megabyte more.
 *
 * @example
 * const { tensors } = readSafetensors('model.safetensors');
 * tensors.get('model.norm.weight')!.read(); // Float32Array
 *
 * @throws InputError for a file that is missing, cut off or inconsistent, naming the file and the tensor
 */
export function readSafetensors(path: string): Safetensors {
  const { metadata, tensors } = withFile(path, (file) => {
    const fileBytes = fstatSync(file).size;
    const prefix = new Uint8Array(8);
    readFully(file, prefix, 0);
    const header = new Uint8Array(headerLength(prefix, fileBytes, path));
    readFully(file, header, 8);
    return parseHeader(header, fileBytes, path);
  });
  const entries = [...tensors].map(([name, place]): [string, TensorEntry] => [
    name,
    {
      name,
      path,
      dtype: place.dtype,
      shape: place.shape,
      read: (start, end) => readTensor(path, name, place, start, end),
    },
  ]);
  return { metadata, tensors: new Map(entries) };
}

/**
 * The values of a tensor that must hold floats.
 *
 * @throws InputError for a tensor of integers
 */
export function readFloats(name: string, tensor: TensorSource): Float32Array {
  const data = tensor.read();
  if (data instanceof Float32Array) return data;
  throw new InputError(`Tensor "${name}" holds ${tensor.dtype}, where floats are expected.`);
}

function readTensor(path: string, name: string, place: TensorPlace, from = 0, to?: number): TensorData {
  return withFile(path, (file) => {
    const format = formatOf(place.dtype);
    const start = place.start + from * format.bytes;
    const end = to === undefined ? place.end : place.start + to * format.bytes;
    const data = allocate(place.dtype, (end - start) / format.bytes);
    const cutOff = () => {
      throw new InputError(`${path}: tensor "${name}" is cut off.`, 'The file changed while it was read; try again.');
    };
    if (place.dtype === 'F32') {
      const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      if (readFully(file, raw, start) < raw.length) cutOff();
      return data;
    }
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, end - start));
    for (let position = start; position < end; position += chunk.length) {
      const raw = chunk.subarray(0, Math.min(chunk.length, end - position));
      if (readFully(file, raw, position) < raw.length) cutOff();
      format.decode(raw, data, (position - start) / format.bytes);
    }
    return data;
  });
}

function withFile<T>(path: string, use: (file: number) => T): T {
  try {
    const file = openSync(path, 'r');
    try {
      return use(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fileError(error, 'read', path);
  }
}

/** Fills `into` from that place of the file; returns how many bytes there were. */
function readFully(file: number, into: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < into.length) {
    // One call reads at most 2 GiB.
    const length = Math.min(into.length - filled, 1 << 30);
    const count = readSync(file, into, filled, length, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}
