/** Conversations to text through a model's own template. */
export { ChatTemplate, type Message } from './chat-template.js';
/** The tokenizer of a model folder. */
export { loadTokenizer } from './load-tokenizer.js';
/** Text to ids and back, at once and token by token. */
export { TextStream, TextTokenizer } from './text-tokenizer.js';
