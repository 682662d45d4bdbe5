import { GGMLQuantizationType as Type } from '@huggingface/gguf';
import { float16Table, formatOf } from '../safetensors/dtype.js';

/** How one block of weights is stored: `weights` numbers in `bytes` bytes. */
export interface BlockFormat {
  name: string;
  weights: number;
  bytes: number;
  /** Turns a run of blocks into numbers of `out`, from its index `to` on. */
  decode(raw: Uint8Array, out: Float32Array, to: number): void;
}

/** Turns the block at `at` of `raw` into numbers of `out`, from its index `to` on. */
type DecodeBlock = (raw: Uint8Array, at: number, out: Float32Array, to: number) => void;

/**
 * The storage formats of GGUF that are read. The quantized ones give each block of weights a scale in half precision and
 * small integers; the K formats give 256 weights a scale and their groups small integer scales of it. The layouts are
 * those of ggml.
 */
const FORMATS = new Map<Type, BlockFormat>([
  [Type.F32, plain('F32', 4)],
  [Type.F16, plain('F16', 2)],
  [Type.BF16, plain('BF16', 2)],
  [Type.Q8_0, blocks('Q8_0', 32, 34, decodeQ8)],
  [Type.Q4_0, blocks('Q4_0', 32, 18, decodeQ4)],
  [Type.Q4_1, blocks('Q4_1', 32, 20, decodeQ4WithMinimum)],
  [Type.Q4_K, blocks('Q4_K', 256, 144, decodeQ4K)],
  [Type.Q6_K, blocks('Q6_K', 256, 210, decodeQ6K)],
]);

/** The names of the formats, for messages. */
export const BLOCK_FORMATS = [...FORMATS.values()].map(({ name }) => name);

/** The format of that number; undefined for one that is not read. */
export function blockFormat(type: Type): BlockFormat | undefined {
  return FORMATS.get(type);
}

function plain(name: 'F32' | 'F16' | 'BF16', bytes: number): BlockFormat {
  return { name, weights: 1, bytes, decode: (raw, out, to) => formatOf(name).decode(raw, out, to) };
}

function blocks(name: string, weights: number, bytes: number, decodeBlock: DecodeBlock): BlockFormat {
  return {
    name,
    weights,
    bytes,
    decode(raw, out, to) {
      for (let at = 0; at < raw.length; at += bytes, to += weights) decodeBlock(raw, at, out, to);
    },
  };
}

function half(raw: Uint8Array, at: number): number {
  return float16Table()[raw[at] | (raw[at + 1] << 8)];
}

/** Scale, 32 signed bytes. */
function decodeQ8(raw: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(raw, at);
  for (let i = 0; i < 32; i++) out[to + i] = scale * ((raw[at + 2 + i] << 24) >> 24);
}

/** Scale, 32 numbers of 4 bits minus 8: the low halves of 16 bytes, then the high ones. */
function decodeQ4(raw: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(raw, at);
  for (let i = 0; i < 16; i++) {
    const pair = raw[at + 2 + i];
    out[to + i] = scale * ((pair & 15) - 8);
    out[to + 16 + i] = scale * ((pair >> 4) - 8);
  }
}

/** Scale, minimum, 32 numbers of 4 bits. */
function decodeQ4WithMinimum(raw: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(raw, at);
  const minimum = half(raw, at + 2);
  for (let i = 0; i < 16; i++) {
    const pair = raw[at + 4 + i];
    out[to + i] = scale * (pair & 15) + minimum;
    out[to + 16 + i] = scale * (pair >> 4) + minimum;
  }
}

/** Scale of scales, scale of minima, 8 pairs of them with 6 bits each in 12 bytes, 256 numbers of 4 bits. */
function decodeQ4K(raw: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(raw, at);
  const minimumScale = half(raw, at + 2);
  const packed = at + 4;
  for (let group = 0; group < 8; group++) {
    let factor: number;
    let minimum: number;
    if (group < 4) {
      factor = raw[packed + group] & 63;
      minimum = raw[packed + group + 4] & 63;
    } else {
      // The upper two bits of the last four pairs are kept in the upper bits of the first four.
      factor = (raw[packed + group + 4] & 15) | ((raw[packed + group - 4] >> 6) << 4);
      minimum = (raw[packed + group + 4] >> 4) | ((raw[packed + group] >> 6) << 4);
    }
    const values = at + 16 + (group >> 1) * 32;
    const shift = (group & 1) * 4;
    for (let i = 0; i < 32; i++) {
      out[to + group * 32 + i] = scale * factor * ((raw[values + i] >> shift) & 15) - minimumScale * minimum;
    }
  }
}

/** 256 numbers of 6 bits minus 32 (4 low bits, then 2 high bits), 16 signed scales, their scale. */
function decodeQ6K(raw: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(raw, at + 208);
  for (let part = 0; part < 2; part++) {
    for (let row = 0; row < 4; row++) {
      const low = at + part * 64 + (row & 1) * 32;
      const high = at + 128 + part * 32;
      for (let i = 0; i < 32; i++) {
        const bits = ((raw[low + i] >> (row < 2 ? 0 : 4)) & 15) | (((raw[high + i] >> (2 * row)) & 3) << 4);
        const factor = (raw[at + 192 + part * 8 + row * 2 + (i >> 4)] << 24) >> 24;
        out[to + part * 128 + row * 32 + i] = scale * factor * (bits - 32);
      }
    }
  }
}
