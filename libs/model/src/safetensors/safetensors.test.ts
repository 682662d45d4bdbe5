import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSafetensors, writeSafetensors } from './safetensors.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-safetensors-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A file with that header and data, as another writer might have made it. */
function handMade(header: unknown, data: Uint8Array): string {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  const path = join(folder, 'hand.safetensors');
  writeFileSync(path, Buffer.concat([length, json, data]));
  return path;
}

describe('safetensors', () => {
  it('gives back what was written, byte for byte the same each time', () => {
    const path = join(folder, 'a.safetensors');
    const tensors = new Map([
      ['b', { shape: [2, 2], data: Float32Array.of(1, -2.5, Number.POSITIVE_INFINITY, 1e-40) }],
      ['a', { shape: [], data: Float32Array.of(3) }],
      ['empty', { shape: [0, 4], data: new Float32Array(0) }],
    ]);
    writeSafetensors(path, tensors, { step: '7' });
    const first = readFileSync(path);
    expect(readSafetensors(path)).toEqual({ metadata: { step: '7' }, tensors: new Map([...tensors].sort()) });
    writeSafetensors(path, new Map([...tensors].reverse()), { step: '7' });
    expect(readFileSync(path).equals(first)).toBe(true);
  });

  it('reads every type', () => {
    // Half: 1.5 is 0x3e00, the smallest subnormal 0x0001 is 2^-24, 0xfc00 is -Infinity. Bfloat16: 0x3fc0 is 1.5.
    const bytes = Buffer.concat([
      Buffer.from([0x00, 0x3e, 0x01, 0x00, 0x00, 0xfc]),
      Buffer.from([0xc0, 0x3f]),
      Buffer.from(BigInt64Array.of(-5n).buffer),
    ]);
    const { tensors } = readSafetensors(
      handMade(
        {
          half: { dtype: 'F16', shape: [3], data_offsets: [0, 6] },
          brain: { dtype: 'BF16', shape: [1], data_offsets: [6, 8] },
          long: { dtype: 'I64', shape: [1], data_offsets: [8, 16] },
        },
        bytes,
      ),
    );
    expect([...(tensors.get('half')?.data ?? [])]).toEqual([1.5, 2 ** -24, Number.NEGATIVE_INFINITY]);
    expect([...(tensors.get('brain')?.data ?? [])]).toEqual([1.5]);
    expect([...(tensors.get('long')?.data ?? [])]).toEqual([-5]);
  });

  it.each([
    ['a shape that does not fill its range', { x: { dtype: 'F32', shape: [3], data_offsets: [0, 8] } }, 8, '"x"'],
    ['a gap', { x: { dtype: 'F32', shape: [1], data_offsets: [4, 8] } }, 8, 'gap'],
    [
      'an overlap',
      {
        x: { dtype: 'F32', shape: [2], data_offsets: [0, 8] },
        y: { dtype: 'F32', shape: [1], data_offsets: [4, 8] },
      },
      8,
      '"y"',
    ],
    ['data that are cut off', { x: { dtype: 'F32', shape: [4], data_offsets: [0, 16] } }, 12, '12'],
    ['an unknown type', { x: { dtype: 'F4', shape: [1], data_offsets: [0, 4] } }, 4, 'F4'],
    ['a negative size', { x: { dtype: 'F32', shape: [-1], data_offsets: [0, 4] } }, 4, 'malformed'],
    ['a header that is no JSON', '{"x": ', 4, 'not JSON'],
  ])('refuses %s', (_, header, bytes, message) => {
    expect(() => readSafetensors(handMade(header, new Uint8Array(bytes)))).toThrow(message);
  });

  it('refuses a file that is too short, has a huge header, or is not there', () => {
    const path = join(folder, 'x.safetensors');
    writeFileSync(path, 'abc');
    expect(() => readSafetensors(path)).toThrow('not a safetensors file');
    writeFileSync(path, Buffer.alloc(64, 0xff));
    expect(() => readSafetensors(path)).toThrow('not a safetensors file');
    expect(() => readSafetensors(join(folder, 'none'))).toThrow('none');
  });
});
