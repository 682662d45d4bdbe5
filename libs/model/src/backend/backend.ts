import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ExternalError } from '@capo/samples';
import { type BackendWasm, setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import { tf } from './tf.js';
import { loadWasmKernels } from './wasm-kernels.js';
import { installFastMatMul } from './wasm-matmul.js';

/** The backends that tensors can live in. `wasm` is the default; `cpu` is plain JavaScript, for checking only. */
export const BACKENDS = ['wasm', 'cpu'] as const;
export type BackendName = (typeof BACKENDS)[number];

/**
 * Makes that backend the one that tensors are created in. On `wasm` the fused kernels are loaded and the matmul trap
 * is removed.
 *
 * @throws ExternalError when the backend cannot start on this machine
 */
export async function useBackend(name: BackendName = 'wasm'): Promise<void> {
  // Keeps the library's advertisement for another backend off stderr.
  tf.enableProdMode();
  if (name === 'wasm') {
    const folder = join(
      dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm/package.json')),
      'wasm-out',
    );
    setWasmPaths(`${folder}/`);
  }
  if (!(await tf.setBackend(name).catch(() => false))) {
    throw new ExternalError(
      `The ${name} backend does not start on this machine.`,
      'Run "capo doctor" to see what does.',
    );
  }
  await tf.ready();
  if (name === 'wasm') {
    loadWasmKernels(tf.backend() as BackendWasm);
    installFastMatMul();
  }
}
