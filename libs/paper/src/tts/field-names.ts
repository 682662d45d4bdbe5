import type { Field } from '@capo/tts';

/** What a column is in a sample file. */
export const FIELD_NAMES: Readonly<Record<Field, string>> = {
  greedy: 'draws at temperature 0',
  lpm: 'logprob.mean',
  sequenceLogprobs: 'logprob.sum',
  tokenLogprobs: 'logprob.perToken',
  confidence: 'the confidence field',
  selfCertainty: 'selfCertainty',
  paths: 'responses',
  tokens: 'numbers of tokens',
};
