/** The tensors that a configuration asks for, and the check that a file has them. */
export { checkTensors, expectedTensors, parameterCount } from './expected-tensors.js';
/** `config.json` of llama, qwen2 and qwen3 models. */
export { MODEL_TYPES, type ModelConfig, type ModelType, oddValues, parseModelConfig } from './model-config.js';
/** The tokens that begin, end and pad a text, from all files that name them. */
export { type SpecialTokens, specialTokens, type TokenSource } from './special-tokens.js';
