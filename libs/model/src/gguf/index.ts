/** Models in GGUF files, under the hub's names. */
export { type GgufModel, type GgufTensor, readGguf } from './read-gguf.js';
