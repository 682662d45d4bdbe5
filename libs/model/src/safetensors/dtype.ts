/** The element types that are read and written; one table for both directions. */
export const DTYPE_BYTES = { F32: 4, F16: 2, BF16: 2, I64: 8 } as const;
export type Dtype = keyof typeof DTYPE_BYTES;

/** The float32 value of a bfloat16: its upper half. */
function fromBfloat16(bits: number, scratch: DataView): number {
  scratch.setUint32(0, bits << 16);
  return scratch.getFloat32(0);
}

/** The float32 value of an IEEE half. */
function fromFloat16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Little-endian bytes of that type as float32 numbers. An I64 beyond 2^24 loses precision. */
export function decodeNumbers(dtype: Dtype, bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.byteLength / DTYPE_BYTES[dtype];
  const numbers = new Float32Array(count);
  const scratch = new DataView(new ArrayBuffer(4));
  for (let i = 0; i < count; i++) {
    if (dtype === 'F32') numbers[i] = view.getFloat32(4 * i, true);
    else if (dtype === 'F16') numbers[i] = fromFloat16(view.getUint16(2 * i, true));
    else if (dtype === 'BF16') numbers[i] = fromBfloat16(view.getUint16(2 * i, true), scratch);
    else numbers[i] = Number(view.getBigInt64(8 * i, true));
  }
  return numbers;
}
