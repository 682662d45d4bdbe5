import { InputError } from '@capo/samples';

/** What a tensor holds in memory: floats as float32, integers and booleans as 64-bit integers. */
export type TensorData = Float32Array | BigInt64Array;

/**
 * One number format of safetensors: the reader and the writer share this table, so that what can be read can be
 * written. Bytes are little-endian, as the format says and as every platform with a tfjs wasm backend stores them.
 */
interface Format {
  bytes: number;
  kind: 'float' | 'integer';
  /** Turns a run of raw bytes into `out`, from its index `at` on. */
  decode(raw: Uint8Array, out: TensorData, at: number): void;
  /** Turns the values from `start` to `end` into raw bytes. Null where a value does not fit the format. */
  encode(values: TensorData, start: number, end: number): Uint8Array | null;
}

/** The values of all half-precision numbers, by their bits. */
export const float16Table = memo(() => Float32Array.from({ length: 1 << 16 }, (_, bits) => float16ToNumber(bits)));

const FORMATS = {
  F64: floatFormat(8, Float64Array),
  F32: floatFormat(4, Float32Array),
  F16: {
    bytes: 2,
    kind: 'float',
    decode(raw, out, at) {
      const table = float16Table();
      const bits = view(raw, Uint16Array);
      for (let i = 0; i < bits.length; i++) out[at + i] = table[bits[i]];
    },
    encode(values, start, end) {
      const bits = new Uint16Array(end - start);
      const word = new Uint32Array((values as Float32Array).slice(start, end).buffer);
      for (let i = 0; i < bits.length; i++) {
        bits[i] = float32BitsToFloat16(word[i]);
        if ((bits[i] & 0x7fff) === 0x7c00 && !isInfinite(word[i])) return null;
      }
      return bytesOf(bits);
    },
  },
  BF16: {
    bytes: 2,
    kind: 'float',
    decode(raw, out, at) {
      const bits = view(raw, Uint16Array);
      const word = new Uint32Array(out.buffer, out.byteOffset + at * 4, bits.length);
      for (let i = 0; i < bits.length; i++) word[i] = bits[i] << 16;
    },
    encode(values, start, end) {
      const bits = new Uint16Array(end - start);
      const word = new Uint32Array((values as Float32Array).slice(start, end).buffer);
      for (let i = 0; i < bits.length; i++) {
        bits[i] = float32BitsToBfloat16(word[i]);
        if ((bits[i] & 0x7fff) === 0x7f80 && !isInfinite(word[i])) return null;
      }
      return bytesOf(bits);
    },
  },
  I64: integer64Format(),
  I32: integerFormat(4, Int32Array),
  I16: integerFormat(2, Int16Array),
  I8: integerFormat(1, Int8Array),
  U8: integerFormat(1, Uint8Array),
  BOOL: integerFormat(1, Uint8Array),
} as const satisfies Record<string, Format>;

/** The number formats that can be read and written. */
export type Dtype = keyof typeof FORMATS;

/** Whether that is the name of a number format that can be read and written. */
export function isDtype(name: string): name is Dtype {
  return Object.hasOwn(FORMATS, name);
}

/** The names of the number formats, for messages. */
export const DTYPES = Object.keys(FORMATS) as Dtype[];

export function formatOf(dtype: Dtype): Format {
  return FORMATS[dtype];
}

/** An array of that many elements of what the format is in memory. */
export function allocate(dtype: Dtype, length: number): TensorData {
  return formatOf(dtype).kind === 'float' ? new Float32Array(length) : new BigInt64Array(length);
}

/**
 * The raw bytes of a part of a tensor.
 *
 * @throws InputError that names the tensor when a value does not fit, for instance 70,000 in F16
 */
export function encode(name: string, dtype: Dtype, values: TensorData, start: number, end: number): Uint8Array {
  const format = formatOf(dtype);
  const isFloat = values instanceof Float32Array;
  if (isFloat !== (format.kind === 'float')) {
    throw new InputError(`Tensor "${name}": ${isFloat ? 'floats' : 'integers'} cannot be written as ${dtype}.`);
  }
  const raw = format.encode(values, start, end);
  if (raw === null) {
    throw new InputError(`Tensor "${name}": a value does not fit the range of ${dtype}.`, 'Use BF16 or F32 for it.');
  }
  return raw;
}

interface ArrayKind<T> {
  new (length: number): T;
  new (buffer: ArrayBufferLike, offset: number, length: number): T;
  BYTES_PER_ELEMENT: number;
}

function floatFormat(bytes: number, Kind: ArrayKind<Float32Array | Float64Array>): Format {
  return {
    bytes,
    kind: 'float',
    decode: (raw, out, at) => (out as Float32Array).set(view(raw, Kind), at),
    encode(values, start, end) {
      const wide = new Kind(end - start);
      wide.set((values as Float32Array).subarray(start, end));
      return bytesOf(wide);
    },
  };
}

function integer64Format(): Format {
  return {
    bytes: 8,
    kind: 'integer',
    decode: (raw, out, at) => (out as BigInt64Array).set(view(raw, BigInt64Array), at),
    encode: (values, start, end) => bytesOf((values as BigInt64Array).slice(start, end)),
  };
}

function integerFormat(bytes: number, Kind: ArrayKind<Int32Array | Int16Array | Int8Array | Uint8Array>): Format {
  return {
    bytes,
    kind: 'integer',
    decode(raw, out, at) {
      const values = view(raw, Kind);
      for (let i = 0; i < values.length; i++) out[at + i] = BigInt(values[i]);
    },
    encode(values, start, end) {
      const narrow = new Kind(end - start);
      for (let i = 0; i < narrow.length; i++) {
        const value = values[start + i] as bigint;
        narrow[i] = Number(value);
        if (BigInt(narrow[i]) !== value) return null;
      }
      return bytesOf(narrow);
    },
  };
}

/** The bytes as an array of another element type; they are copied only when they do not start on a multiple of it. */
function view<T>(raw: Uint8Array, Kind: ArrayKind<T>): T {
  const aligned = raw.byteOffset % Kind.BYTES_PER_ELEMENT === 0 ? raw : raw.slice();
  return new Kind(aligned.buffer, aligned.byteOffset, aligned.byteLength / Kind.BYTES_PER_ELEMENT);
}

function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function memo<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

/** IEEE 754 half precision: 1 sign bit, 5 exponent bits (bias 15), 10 fraction bits. */
function float16ToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Rounds to the nearest half-precision number, ties to even. */
function float32BitsToFloat16(word: number): number {
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // Below 2^-14 half precision has a fixed step of 2^-24.
  if (magnitude < 0x38800000) {
    const exponent = magnitude >>> 23;
    // Below 2^-25 the nearest step is 0.
    if (exponent < 102) return sign;
    const shift = 126 - exponent;
    return sign | roundShift((magnitude & 0x7fffff) | 0x800000, shift);
  }
  const rounded = roundShift(magnitude - 0x38000000, 13);
  return sign | Math.min(rounded, 0x7c00);
}

/** Rounds to the nearest bfloat16 (the upper half of a float32), ties to even; NaN stays NaN. */
function float32BitsToBfloat16(word: number): number {
  if ((word & 0x7fffffff) > 0x7f800000) return (word >>> 16) | 0x40;
  return ((word + 0x7fff + ((word >>> 16) & 1)) >>> 16) & 0xffff;
}

function isInfinite(word: number): boolean {
  return (word & 0x7fffffff) === 0x7f800000;
}

/** value / 2^shift, rounded to the nearest integer, ties to even. */
function roundShift(value: number, shift: number): number {
  const half = 1 << (shift - 1);
  const whole = value >>> shift;
  const rest = value & ((1 << shift) - 1);
  return whole + (rest > half || (rest === half && whole & 1) ? 1 : 0);
}
