import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { EvaluationLine } from './evaluate.js';
import { crc32c, varintField } from './event-encoding.js';
import type { StepMetrics } from './step-metrics.js';
import { openTensorBoard } from './tensorboard.js';

it('has the checksum of RFC 3720 (iSCSI), appendix B.4, and the catalogued check value', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
});

it('writes whole numbers as protocol buffers do (encoding guide: 150 is 96 01)', () => {
  expect([...varintField(1, 150)]).toEqual([0x08, 0x96, 0x01]);
});

/** The records of an event file, read by the TFRecord layout. */
function records(path: string): Buffer[] {
  const bytes = readFileSync(path);
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = Number(bytes.readBigUInt64LE(at));
    found.push(bytes.subarray(at + 12, at + 12 + length));
    at += 12 + length + 4;
  }
  return found;
}

it('writes one file per sitting, whose first records name the format and the step it goes on from', () => {
  const folder = mkdtempSync(join(tmpdir(), 'capo-tensorboard-'));
  const first = openTensorBoard(folder, 0);
  first.metrics(0, { step: 0, reward: 0.5, auc: null } as StepMetrics);
  first.close();
  const second = openTensorBoard(folder, 7);
  second.evaluations(7, [
    { step: 7, suite: 'aime24', accuracy: 0.25, auc: 0.75, perPromptAuc: null, ece: 0.1 } as EvaluationLine,
  ]);
  second.close();
  const files = readdirSync(folder).sort();
  expect(files).toHaveLength(2);
  const [one, two] = files.map((name) => records(join(folder, name)));
  expect(one).toHaveLength(2);
  expect(one[0].toString('latin1')).toContain('brain.Event:2');
  expect(one[1].toString('latin1')).toContain('train/reward');
  expect(one[1].toString('latin1')).not.toContain('train/auc');
  // 0.5 as a little-endian float32, after the tag of field 2.
  expect(one[1].includes(Buffer.from([0x15, 0, 0, 0, 0x3f]))).toBe(true);
  expect(two).toHaveLength(3);
  // Field 2 (step) is 7; field 7 (session log) holds status START.
  expect(two[1].includes(Buffer.from([0x10, 7, 0x3a, 2, 0x08, 1]))).toBe(true);
  expect(two[2].toString('latin1')).toContain('aime24/accuracy');
  rmSync(folder, { recursive: true });
});
