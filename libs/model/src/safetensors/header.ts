import { InputError } from '@capo/samples';
import { DTYPES, type Dtype, formatOf, isDtype } from './dtype.js';

/** The longest header that is read, in bytes: the limit of the reference implementation. */
const MAX_HEADER_BYTES = 100_000_000;

/** Where one tensor lies in the file. */
export interface TensorPlace {
  dtype: Dtype;
  shape: number[];
  /** First byte, counted from the start of the file. */
  start: number;
  /** One past the last byte. */
  end: number;
}

export interface SafetensorsHeader {
  metadata: Record<string, string>;
  tensors: Map<string, TensorPlace>;
}

const AGAIN = 'The file is damaged or was not downloaded completely; fetch it again.';

/**
 * The length of the JSON header, from the first 8 bytes of the file.
 *
 * @throws InputError for a length beyond the file or the limit, as in a file that is no safetensors file at all
 */
export function headerLength(prefix: Uint8Array, fileBytes: number, path: string): number {
  if (fileBytes < 8) throw new InputError(`${path}: not a safetensors file: it has only ${fileBytes} bytes.`, AGAIN);
  const length = Number(new DataView(prefix.buffer, prefix.byteOffset).getBigUint64(0, true));
  if (length > MAX_HEADER_BYTES) {
    throw new InputError(`${path}: not a safetensors file: its header would be ${length} bytes long.`, AGAIN);
  }
  if (length > fileBytes - 8) {
    throw new InputError(
      `${path}: the header needs ${length} bytes, the file has ${fileBytes - 8} after byte 8.`,
      AGAIN,
    );
  }
  return length;
}

/**
 * Reads and checks the JSON header. The tensors must lie one after the other, from the header to the end of the file,
 * without overlap and without a gap, and each must have the length that its shape and number format give.
 *
 * @throws InputError that names the file, the tensor and the fault
 */
export function parseHeader(header: Uint8Array, fileBytes: number, path: string): SafetensorsHeader {
  const fail = (what: string): never => {
    throw new InputError(`${path}: ${what}`, AGAIN);
  };
  const entries = Object.entries(parseObject(header, fail));
  const dataStart = 8 + header.length;
  let metadata: Record<string, string> = {};
  const tensors = new Map<string, TensorPlace>();
  for (const [name, value] of entries) {
    if (name === '__metadata__') metadata = parseMetadata(value, fail);
    else tensors.set(name, parsePlace(name, value, dataStart, fileBytes, fail));
  }
  checkLayout(tensors, dataStart, fileBytes, fail);
  return { metadata, tensors };
}

type Fail = (what: string) => never;

function parseObject(header: Uint8Array, fail: Fail): object {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(header));
  } catch (error) {
    fail(`the header is not valid JSON: ${(error as Error).message}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) fail('the header is not a JSON object.');
  return parsed as object;
}

function parseMetadata(value: unknown, fail: Fail): Record<string, string> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : fail('bad __metadata__.');
  for (const [key, item] of entries) if (typeof item !== 'string') fail(`the metadata "${key}" is not a text.`);
  return Object.fromEntries(entries) as Record<string, string>;
}

function parsePlace(name: string, value: unknown, dataStart: number, fileBytes: number, fail: Fail): TensorPlace {
  const { dtype, shape, data_offsets: offsets } = (value ?? {}) as Record<string, unknown>;
  if (typeof dtype !== 'string' || !isDtype(dtype)) {
    throw new InputError(
      `Tensor "${name}" has the number format ${JSON.stringify(dtype)}, which is not supported.`,
      `Supported: ${DTYPES.join(', ')}. Convert the model to one of them.`,
    );
  }
  if (!Array.isArray(shape) || !shape.every(isCount)) return fail(`tensor "${name}" has a bad shape.`);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount)) {
    return fail(`tensor "${name}" has bad data_offsets.`);
  }
  const elements = shape.reduce((product, size) => product * size, 1);
  const [start, end] = [dataStart + offsets[0], dataStart + offsets[1]];
  if (end - start !== elements * formatOf(dtype).bytes) {
    fail(`tensor "${name}" of shape [${shape}] and format ${dtype} cannot have ${end - start} bytes.`);
  }
  if (end > fileBytes) fail(`tensor "${name}" ends at byte ${end}, the file at byte ${fileBytes}: it is cut off.`);
  return { dtype, shape, start, end };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function checkLayout(tensors: Map<string, TensorPlace>, dataStart: number, fileBytes: number, fail: Fail): void {
  const places = [...tensors].sort(([, a], [, b]) => a.start - b.start || a.end - b.end);
  let position = dataStart;
  let before = 'the header';
  for (const [name, place] of places) {
    if (place.start < position) fail(`tensor "${name}" overlaps ${before}.`);
    if (place.start > position)
      fail(`${place.start - position} bytes between ${before} and tensor "${name}" belong to none.`);
    position = place.end;
    before = `tensor "${name}"`;
  }
  if (position < fileBytes) fail(`${fileBytes - position} bytes after ${before} belong to no tensor.`);
}
