// SIMD kernels in AssemblyScript, compiled to one WebAssembly module that works in the memory of the tfjs wasm backend.
// Every pointer is the byte offset of a tensor's float32 data there. The module holds no data and allocates nothing.

export { attentionBackward, attentionDecode, attentionForward } from './attention';
export { embeddingBackward, embeddingForward } from './embedding';
export { adamw, sumOfSquares } from './optimizer';
export { rmsNormBackward, rmsNormForward } from './rms-norm';
export { rotate } from './rotary';
export { swigluBackward, swigluForward } from './swiglu';
export { tokenLogprobBackward, tokenLogprobForward } from './token-logprob';
