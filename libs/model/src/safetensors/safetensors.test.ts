import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from '@capo/samples';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DTYPES, type Dtype, encode, formatOf } from './dtype.js';
import { readFloats, readSafetensors } from './reader.js';
import { tensorBytes, tensorOf, writeSafetensors } from './writer.js';

const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-safetensors-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A file with that header text and that many bytes of data. */
function fileWith(header: string, dataBytes: number): string {
  const json = Buffer.from(header);
  const bytes = Buffer.alloc(8 + json.length + dataBytes);
  bytes.writeBigUInt64LE(BigInt(json.length));
  json.copy(bytes, 8);
  const path = join(folder, 'hostile.safetensors');
  writeFileSync(path, bytes);
  return path;
}

const bytes = (data: ArrayBufferView) => Buffer.from(data.buffer, data.byteOffset, data.byteLength);
const place = (shape: number[], from: number, to: number, dtype = 'F32') => ({
  dtype,
  shape,
  data_offsets: [from, to],
});

describe('readSafetensors', () => {
  // The file was written by the reference implementation (safetensors 0.8.0, see fixtures/manifest.json).
  it('reads every number format of a file by the reference implementation', () => {
    const { metadata, tensors } = readSafetensors(join(fixtures, 'dtypes.safetensors'));
    expect(metadata.note).toBe('made by make_fixtures.py');
    const values = (name: string) => Array.from(tensors.get(name)!.read() as ArrayLike<number | bigint>);
    const floats = [0, -1.5, 2.25, Math.fround(1e-5), 300, Math.fround(-0.1)];
    expect(values('f64')).toEqual(floats);
    expect(values('f32')).toEqual(floats);
    // 1e-5 is 168 steps of 2^-24 in half precision; -0.1 is -1638 steps of 2^-14.
    expect(values('f16')).toEqual([0, -1.5, 2.25, 168 * 2 ** -24, 300, -1638 * 2 ** -14]);
    // bfloat16 has 8 significant bits: 1e-5 is 168 * 2^-24, 0.1 is 205 * 2^-11.
    expect(values('bf16')).toEqual([0, -1.5, 2.25, 168 * 2 ** -24, 300, -205 * 2 ** -11]);
    expect(values('i64')).toEqual([-(2n ** 53n) - 1n, 0n, 2n ** 62n]);
    for (const name of ['i32', 'i16', 'i8']) expect(values(name)).toEqual([-7n, 0n, 120n]);
    expect(values('u8')).toEqual([0n, 255n]);
    expect(values('bool')).toEqual([1n, 0n]);
    expect(tensors.get('scalar')!.shape).toEqual([]);
    expect(values('scalar')).toEqual([3]);
    expect(tensors.get('empty')!.shape).toEqual([0, 4]);
    expect(values('empty')).toEqual([]);
  });

  it('reads a part of a tensor', () => {
    const { tensors } = readSafetensors(join(fixtures, 'dtypes.safetensors'));
    for (const name of ['f64', 'f32', 'f16', 'bf16', 'i32']) {
      const tensor = tensors.get(name)!;
      expect(tensor.read(1, 3)).toEqual(tensor.read().slice(1, 3));
      expect(tensor.read(2)).toEqual(tensor.read().slice(2));
    }
  });

  it('refuses integers where floats are expected', () => {
    const { tensors } = readSafetensors(join(fixtures, 'dtypes.safetensors'));
    expect(readFloats('f16', tensors.get('f16')!)[1]).toBe(-1.5);
    expect(() => readFloats('i64', tensors.get('i64')!)).toThrow(/"i64" holds I64/);
  });

  it.each([
    ['no JSON', 'hello', 0, /not valid JSON/],
    ['a list', '[]', 0, /not a JSON object/],
    ['metadata that is no text', '{"__metadata__":{"a":1}}', 0, /metadata "a"/],
    ['an unknown format', JSON.stringify({ w: place([1], 0, 1, 'F8_E4M3') }), 1, /"w".*F8_E4M3.*not supported/],
    ['no shape', '{"w":{"dtype":"F32","data_offsets":[0,4]}}', 4, /"w" has a bad shape/],
    ['a negative size', JSON.stringify({ w: place([-1], 0, 4) }), 4, /"w" has a bad shape/],
    ['no offsets', '{"w":{"dtype":"F32","shape":[1]}}', 4, /"w" has bad data_offsets/],
    ['negative offsets', JSON.stringify({ w: place([1], -4, 0) }), 4, /"w" has bad data_offsets/],
    ['offsets in the wrong order', JSON.stringify({ w: place([1], 4, 0) }), 4, /cannot have -4 bytes/],
    ['a wrong length', JSON.stringify({ w: place([3], 0, 4) }), 4, /\[3\] and format F32 cannot have 4 bytes/],
    ['a product beyond all numbers', JSON.stringify({ w: place([2 ** 40, 2 ** 40], 0, 4) }), 4, /cannot have 4 bytes/],
    ['a tensor beyond the end', JSON.stringify({ w: place([2], 0, 8) }), 4, /"w" ends at byte .* cut off/],
    ['an overlap', JSON.stringify({ a: place([2], 0, 8), b: place([2], 4, 12) }), 12, /"b" overlaps tensor "a"/],
    ['a gap', JSON.stringify({ a: place([1], 0, 4), b: place([1], 8, 12) }), 12, /4 bytes between .*"a" and .*"b"/],
    ['bytes of nobody', JSON.stringify({ a: place([1], 0, 4) }), 6, /2 bytes after tensor "a"/],
    ['a number for an entry', '{"w":3}', 0, /"w"/],
  ])('refuses %s, naming the file or the tensor', (_, header, dataBytes, message) => {
    const path = fileWith(header, dataBytes);
    expect(() => readSafetensors(path)).toThrow(InputError);
    expect(() => readSafetensors(path)).toThrow(message);
  });

  it('refuses a file that is too short, no safetensors file, or cut off in its header', () => {
    const path = join(folder, 'short.safetensors');
    writeFileSync(path, 'abc');
    expect(() => readSafetensors(path)).toThrow(/not a safetensors file: it has only 3 bytes/);
    writeFileSync(path, '<!DOCTYPE html><html></html>');
    expect(() => readSafetensors(path)).toThrow(/not a safetensors file/);
    writeFileSync(path, readFileSync(join(fixtures, 'dtypes.safetensors')).subarray(0, 100));
    expect(() => readSafetensors(path)).toThrow(/header needs \d+ bytes, the file has 92/);
    expect(() => readSafetensors(join(folder, 'none.safetensors'))).toThrow(/Cannot read .*none.safetensors/);
  });

  it('either reads or refuses a damaged file, and never fails in another way', () => {
    const good = readFileSync(join(fixtures, 'dtypes.safetensors'));
    const path = join(folder, 'damaged.safetensors');
    const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(damage, fc.nat(20), (changes, cut) => {
        const bytes = Buffer.from(good.subarray(0, good.length - (cut < 10 ? 0 : cut)));
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        writeFileSync(path, bytes);
        try {
          for (const tensor of readSafetensors(path).tensors.values()) tensor.read();
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('half precision', () => {
  const { float32, float16, bfloat16 } = JSON.parse(readFileSync(join(fixtures, 'half-precision.json'), 'utf8'));
  const words = Uint32Array.from(float32);
  const values = new Float32Array(words.buffer);
  // Expected bits: PyTorch 2.9.1 (see fixtures/manifest.json).
  it.each([
    ['F16', float16, 0x7c00],
    ['BF16', bfloat16, 0x7f80],
  ] as [Dtype, number[], number][])('rounds to %s as PyTorch does', (dtype, expected, infinity) => {
    for (let i = 0; i < values.length; i++) {
      const overflows = (expected[i] & 0x7fff) === infinity && Number.isFinite(values[i]);
      if (overflows) {
        expect(() => encode('w', dtype, values, i, i + 1)).toThrow(/"w".*does not fit the range/);
      } else {
        const bits = new Uint16Array(encode('w', dtype, values, i, i + 1).slice().buffer)[0];
        expect(bits, `value ${values[i]}, index ${i}`).toBe(expected[i]);
      }
    }
  });

  it('keeps every number of the format when it is read and written', () => {
    for (const dtype of ['F16', 'BF16'] as const) {
      const bits = Uint16Array.from({ length: 1 << 16 }, (_, i) => i);
      const decoded = new Float32Array(bits.length);
      formatOf(dtype).decode(new Uint8Array(bits.buffer), decoded, 0);
      const again = new Uint16Array(encode('w', dtype, decoded, 0, decoded.length).slice().buffer);
      for (let i = 0; i < bits.length; i++) {
        if (Number.isNaN(decoded[i])) expect(again[i] & 0x7fff).toBeGreaterThan(dtype === 'F16' ? 0x7c00 : 0x7f80);
        else if (again[i] !== bits[i]) throw new Error(`${dtype} ${bits[i]} became ${again[i]}`);
      }
    }
  });

  it('keeps NaN a NaN in bfloat16, also one whose bits would round up to an infinity', () => {
    const nan = new Float32Array(new Uint32Array([0x7f800001, 0x7fffffff]).buffer);
    const bits = new Uint16Array(encode('w', 'BF16', nan, 0, 2).slice().buffer);
    for (const word of bits) expect(word & 0x7fff).toBeGreaterThan(0x7f80);
  });
});

describe('writeSafetensors', () => {
  it('gives back what was written, for every number format', () => {
    const path = join(folder, 'round.safetensors');
    for (const dtype of DTYPES) {
      const isFloat = formatOf(dtype).kind === 'float';
      const data = isFloat ? Float32Array.of(0, 1, -2, 0.5) : BigInt64Array.of(0n, 1n, 1n, 0n);
      writeSafetensors(path, new Map([['a.b', tensorOf(data, [2, 2], dtype)]]), { made: 'here' });
      const { metadata, tensors } = readSafetensors(path);
      expect(metadata).toEqual({ made: 'here' });
      expect(tensors.get('a.b')).toMatchObject({ dtype, shape: [2, 2] });
      expect(tensors.get('a.b')!.read()).toEqual(data);
    }
  });

  it('writes the same bytes whatever the order of tensors and metadata', () => {
    const tensors: [string, ReturnType<typeof tensorOf>][] = [
      ['half', tensorOf(Float32Array.of(1, 2, 3), [3], 'F16')],
      ['b', tensorOf(Float32Array.of(4), [1])],
      ['a', tensorOf(Float32Array.of(5), [1])],
      ['ids', tensorOf(BigInt64Array.of(6n), [1])],
    ];
    const [one, two] = ['one', 'two'].map((name) => join(folder, `${name}.safetensors`));
    writeSafetensors(one, new Map(tensors), { x: '1', y: '2' });
    writeSafetensors(two, new Map(tensors.reverse()), { y: '2', x: '1' });
    expect(readFileSync(one)).toEqual(readFileSync(two));
    const header = readFileSync(one).readBigUInt64LE(0);
    expect(header % 8n).toBe(0n);
    expect([...readSafetensors(one).tensors.keys()]).toEqual(['ids', 'a', 'b', 'half']);
  });

  it('refuses values that do not match, and leaves the old file and no other behind', () => {
    const path = join(folder, 'atomic', 'w.safetensors');
    writeSafetensors(path, new Map([['w', tensorOf(Float32Array.of(1), [1])]]));
    const before = readFileSync(path);
    const write = (tensor: ReturnType<typeof tensorOf>) => () => writeSafetensors(path, new Map([['w', tensor]]));
    expect(() => tensorOf(Float32Array.of(1, 2), [3])).toThrow(/shape \[3\] cannot have 2 values/);
    expect(write(tensorOf(Float32Array.of(70_000), [1], 'F16'))).toThrow(/"w".*does not fit the range of F16/);
    expect(write(tensorOf(BigInt64Array.of(300n), [1], 'U8'))).toThrow(/"w".*does not fit the range of U8/);
    expect(write(tensorOf(Float32Array.of(1), [1], 'I64'))).toThrow(/"w".*floats cannot be written as I64/);
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(join(folder, 'atomic'))).toEqual(['w.safetensors']);
  });

  it('converts in parts what is larger than one part', () => {
    const path = join(folder, 'large.safetensors');
    const data = Float32Array.from({ length: 4_200_001 }, (_, i) => (i % 511) - 255);
    writeSafetensors(path, new Map([['w', tensorOf(data, [4_200_001], 'BF16')]]));
    const tensor = readSafetensors(path).tensors.get('w')!;
    expect(tensorBytes(tensor)).toBe(8_400_002);
    expect(Buffer.compare(bytes(tensor.read()), bytes(data))).toBe(0);
  });

  it('copies a file from another writer tensor by tensor', () => {
    const source = readSafetensors(join(fixtures, 'dtypes.safetensors'));
    const path = join(folder, 'copy.safetensors');
    writeSafetensors(path, source.tensors, source.metadata);
    const copy = readSafetensors(path);
    expect([...copy.tensors.keys()].sort()).toEqual([...source.tensors.keys()].sort());
    for (const [name, tensor] of source.tensors) expect(copy.tensors.get(name)!.read()).toEqual(tensor.read());
  });
});
