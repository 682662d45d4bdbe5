import { readFileSync } from 'node:fs';
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import { tf } from './tf.js';

/** The functions of `kernels/index.ts`. Pointers are byte offsets in the memory of the wasm backend. */
export interface WasmKernels {
  rmsNormForward(...args: number[]): void;
  rmsNormBackward(...args: number[]): void;
  rotate(...args: number[]): void;
  attentionForward(...args: number[]): void;
  attentionBackward(...args: number[]): void;
  attentionDecode(...args: number[]): void;
  swigluForward(...args: number[]): void;
  swigluBackward(...args: number[]): void;
  tokenLogprobForward(...args: number[]): void;
  tokenLogprobBackward(...args: number[]): void;
  embeddingForward(...args: number[]): void;
  embeddingBackward(...args: number[]): void;
  adamw(...args: number[]): void;
  sumOfSquares(...args: number[]): number;
}

/** What the backend's Emscripten module holds beside its declared functions. */
interface EmscriptenModule {
  asm: { memory: WebAssembly.Memory };
  HEAPF32: Float32Array;
}

function emscripten(backend: BackendWasm): EmscriptenModule {
  return backend.wasm as unknown as EmscriptenModule;
}

let loaded: { backend: BackendWasm; kernels: WasmKernels } | undefined;

/** Instantiates the compiled kernels in the memory of the running wasm backend. */
export function loadWasmKernels(backend: BackendWasm): WasmKernels {
  if (loaded?.backend === backend) return loaded.kernels;
  const module = new WebAssembly.Module(readFileSync(new URL('../../dist/kernels.wasm', import.meta.url)));
  const { memory } = emscripten(backend).asm;
  const instance = new WebAssembly.Instance(module, { env: { memory, log: Math.log } });
  loaded = { backend, kernels: instance.exports as unknown as WasmKernels };
  return loaded.kernels;
}

/** Whether tensors live in the wasm backend, so that the fused kernels can be used. */
export function wasmActive(): boolean {
  return loaded !== undefined && tf.getBackend() === 'wasm';
}

/** What a fused kernel works with: the compiled functions and the memory. */
export interface KernelContext {
  kernels: WasmKernels;
  /** The address of a tensor's data. */
  pointer(tensor: tf.TensorInfo): number;
  /** All memory as float32; not to be kept, since growing replaces it. */
  heap(): Float32Array;
  /** A new tensor whose content is whatever the memory held. */
  allocate(shape: number[], dtype?: tf.DataType): tf.TensorInfo;
  /** Gives memory back that was allocated for the kernel's own use. */
  release(tensor: tf.TensorInfo): void;
}

function contextOf(backend: BackendWasm): KernelContext {
  return {
    kernels: loadWasmKernels(backend),
    pointer: (tensor) => backend.dataIdMap.get(tensor.dataId).memoryOffset,
    heap: () => emscripten(backend).HEAPF32,
    allocate: (shape, dtype = 'float32') => backend.makeOutput(shape, dtype),
    release: (tensor) => backend.disposeData(tensor.dataId),
  };
}

/** The context of the running backend, for work in place outside the engine (the optimizer, the key-value cache). */
export function kernelContext(): KernelContext {
  return contextOf(tf.backend() as BackendWasm);
}

type Inputs = Record<string, tf.TensorInfo>;
type Attributes = Record<string, number>;

/** A fused operation: how to compute it on the wasm backend and, unless it has no gradient, its gradient. */
export interface FusedOperation {
  name: string;
  forward(inputs: Inputs, attributes: Attributes, context: KernelContext): tf.TensorInfo[];
  gradient?: Omit<tf.GradConfig, 'kernelName'>;
}

/**
 * Registers a fused operation with the engine and returns the function that runs it. The engine then records it on
 * the gradient tape, counts its tensors and profiles it like any other kernel.
 */
export function fusedOperation(operation: FusedOperation): (inputs: Inputs, attributes: Attributes) => tf.Tensor[] {
  const kernelName = `Capo${operation.name}`;
  if (!tf.getKernel(kernelName, 'wasm')) {
    tf.registerKernel({
      kernelName,
      backendName: 'wasm',
      kernelFunc: ({ inputs, attrs, backend }) =>
        operation.forward(inputs as Inputs, attrs as unknown as Attributes, contextOf(backend as BackendWasm)),
    });
    if (operation.gradient) tf.registerGradient({ kernelName, ...operation.gradient });
  }
  return (inputs, attributes) => {
    const outputs = tf.engine().runKernel(kernelName, inputs as tf.NamedTensorMap, attributes as never);
    return (Array.isArray(outputs) ? outputs : [outputs]) as tf.Tensor[];
  };
}
