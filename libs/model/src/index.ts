/** A model's configuration and the tensors that it asks for. */
export * from './config/index.js';
/** Safetensors files: number formats, reader, writer, sharded weights. */
export * from './safetensors/index.js';
