/** Safetensors files: number formats, reader, writer, sharded weights. */
export * from './safetensors/index.js';
