import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { EvaluationLine } from './evaluate.js';
import { crc32c, doubleField, floatField, message, textField, varintField } from './event-encoding.js';
import type { StepMetrics } from './step-metrics.js';

/** A log for TensorBoard. */
export interface TensorBoardLog {
  metrics(step: number, metrics: StepMetrics): void;
  evaluations(step: number, lines: readonly EvaluationLine[]): void;
  close(): void;
}

/**
 * Opens a new event file in a folder. A run that goes on from a checkpoint says so, and TensorBoard forgets what was
 * logged from that step on.
 */
export function openTensorBoard(folder: string, step: number): TensorBoardLog {
  mkdirSync(folder, { recursive: true });
  const now = () => Date.now() / 1000;
  const number = existsSync(folder) ? readdirSync(folder).length : 0;
  const seconds = Math.floor(now());
  const name = `events.out.tfevents.${String(seconds).padStart(10, '0')}.capo.${process.pid}.${number}`;
  const file = openSync(join(folder, name), 'a');
  const write = (fields: Buffer[]) => writeSync(file, record(Buffer.concat([doubleField(1, now()), ...fields])));
  const scalars = (at: number, values: Record<string, number | null>) => {
    const shown = Object.entries(values).filter(([, value]) => value !== null);
    if (shown.length === 0) return;
    const summary = shown.map(([tag, value]) => message(1, [textField(1, tag), floatField(2, value as number)]));
    write([varintField(2, at), message(5, summary)]);
  };
  write([textField(3, 'brain.Event:2')]);
  // SessionLog START: purges later steps of earlier files.
  if (number > 0) write([varintField(2, step), message(7, [varintField(1, 1)])]);
  return {
    metrics(at, { step: _step, ...values }) {
      scalars(at, Object.fromEntries(Object.entries(values).map(([key, value]) => [`train/${key}`, value])));
    },
    evaluations(at, lines) {
      for (const { suite, accuracy, auc, perPromptAuc, ece } of lines) {
        const values = { accuracy, auc, perPromptAuc, ece };
        scalars(at, Object.fromEntries(Object.entries(values).map(([key, value]) => [`${suite}/${key}`, value])));
      }
    },
    close() {
      fsyncSync(file);
      closeSync(file);
    },
  };
}

/** A TFRecord: length, its checksum, the data, its checksum. */
function record(data: Buffer): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(data.length));
  return Buffer.concat([length, maskedChecksum(length), data, maskedChecksum(data)]);
}

function maskedChecksum(data: Buffer): Buffer {
  const checksum = crc32c(data);
  const masked = (((checksum >>> 15) | (checksum << 17)) + 0xa282ead8) >>> 0;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(masked);
  return bytes;
}
