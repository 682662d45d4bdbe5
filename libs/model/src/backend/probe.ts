import { type BackendName, useBackend } from './backend.js';
import { tf } from './tf.js';

/** What a backend can do on this machine. */
export interface BackendProbe {
  name: BackendName;
  usable: boolean;
  /** Billions of floating-point operations a second in products of 256 x 256 matrices; null when not usable. */
  gflops: number | null;
  /** What it is for, or why it does not start. */
  detail: string;
}

const PURPOSE: Record<BackendName, string> = {
  wasm: 'the default: SIMD kernels, nothing to install',
  cpu: 'plain JavaScript, for checking results only',
};

/** Starts a backend and measures it for about a fifth of a second. */
export async function probeBackend(name: BackendName): Promise<BackendProbe> {
  try {
    await useBackend(name);
  } catch (error) {
    return { name, usable: false, gflops: null, detail: (error as Error).message };
  }
  const size = 256;
  const a = tf.ones([size, size]) as tf.Tensor2D;
  const multiply = () => tf.matMul(a, a).dispose();
  multiply();
  const started = performance.now();
  let products = 0;
  do {
    multiply();
    products++;
  } while (performance.now() - started < 200);
  const seconds = (performance.now() - started) / 1000;
  a.dispose();
  const gflops = Math.round((20 * products * size ** 3) / seconds / 1e9) / 10;
  return { name, usable: true, gflops, detail: PURPOSE[name] };
}
