/** Number formats: F64, F32, F16, BF16, I64, I32, I16, I8, U8, BOOL. */
export { DTYPES, type Dtype, isDtype, type TensorData } from './dtype.js';
/** One file, read on demand. */
export { readFloats, readSafetensors, type Safetensors, type TensorEntry, type TensorSource } from './reader.js';
/** A model's weights: one file, or shards with an index. */
export { openWeights, writeWeights } from './weights-folder.js';
/** One file, written atomically and tensor by tensor. */
export { tensorBytes, tensorOf, writeSafetensors } from './writer.js';
