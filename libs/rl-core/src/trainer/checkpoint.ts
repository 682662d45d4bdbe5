import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AdamW,
  type AdamWState,
  type Decoder,
  readFloats,
  readSafetensors,
  type TensorSource,
  tensorOf,
  writeSafetensors,
} from '@capo/model';
import { CapoError, InputError, type RunFolder } from '@capo/samples';

/** The version of the checkpoint's layout; a reader refuses one that it does not know. */
const FORMAT = 'capo.checkpoint/1';
const NAME = /^step-(\d+)\.safetensors$/;

/** Where a run stands: all that a resumed run needs, since every random stream is a function of seed and step. */
export interface Checkpoint {
  /** Steps that are done. */
  step: number;
  /** What training changes: all weights, or those of the adapters. */
  weights: Map<string, Float32Array>;
  optimizer: AdamWState;
}

/** The checkpoints of a run, `checkpoints/step-000050.safetensors`, of which the last ones are kept. */
export class Checkpoints {
  private readonly folder: string;
  private readonly configHash: string;

  /** @param keep how many are kept, at least 1 */
  constructor(
    run: RunFolder,
    private readonly keep: number,
  ) {
    this.folder = run.file('checkpoints');
    this.configHash = run.manifest.configHash;
  }

  /** Writes weights, moments and the step to one safetensors file, atomically, and removes those that are too old. */
  async save(step: number, decoder: Decoder, optimizer: AdamW): Promise<void> {
    const state = await optimizer.state();
    const tensors = new Map<string, TensorSource>();
    for (const [name, variable] of decoder.trainable) {
      const { shape } = variable;
      // A copy, since the data of a wasm tensor is a view that later steps change.
      tensors.set(`weights.${name}`, tensorOf(Float32Array.from(await variable.data()), shape));
      tensors.set(`moment1.${name}`, tensorOf(state.moment1.get(name) as Float32Array, shape));
      tensors.set(`moment2.${name}`, tensorOf(state.moment2.get(name) as Float32Array, shape));
    }
    const { configHash } = this;
    const metadata = { format: FORMAT, configHash, step: String(step), optimizerStep: String(state.step) };
    writeSafetensors(this.pathOf(step), tensors, metadata);
    for (const old of this.steps().slice(0, -this.keep)) rmSync(this.pathOf(old), { force: true });
  }

  /**
   * The newest checkpoint that can be read; undefined when there is none at all. An older one leads to the same end.
   *
   * @throws InputError when none can be read, or the newest belongs to another layout or configuration
   */
  load(): Checkpoint | undefined {
    let damage: unknown;
    for (const step of this.steps().reverse()) {
      try {
        return this.read(this.pathOf(step));
      } catch (error) {
        if (!(error instanceof CapoError) || error instanceof MismatchError) throw error;
        damage ??= error;
      }
    }
    if (damage) throw damage;
    return undefined;
  }

  private read(path: string): Checkpoint {
    const { metadata, tensors } = readSafetensors(path);
    if (metadata.format !== FORMAT) {
      throw new MismatchError(
        `${path}: the checkpoint has the format ${metadata.format}; this version reads ${FORMAT}.`,
      );
    }
    if (metadata.configHash !== this.configHash) {
      throw new MismatchError(
        `${path}: the checkpoint belongs to another configuration (${metadata.configHash}, not ${this.configHash}).`,
        'Remove the folder to start again, or restore the configuration.',
      );
    }
    const part = (prefix: string) => {
      const entries = [...tensors].filter(([name]) => name.startsWith(`${prefix}.`));
      return new Map(entries.map(([name, tensor]) => [name.slice(prefix.length + 1), readFloats(name, tensor)]));
    };
    return {
      step: Number(metadata.step),
      weights: part('weights'),
      optimizer: { step: Number(metadata.optimizerStep), moment1: part('moment1'), moment2: part('moment2') },
    };
  }

  private steps(): number[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder)
      .flatMap((name) => NAME.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  }

  private pathOf(step: number): string {
    return join(this.folder, `step-${String(step).padStart(6, '0')}.safetensors`);
  }
}

/** A checkpoint that is whole, and of another run. */
class MismatchError extends InputError {}
