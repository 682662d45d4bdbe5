import type { Sample } from '@capo/samples';

/** One response to draw. */
export interface PromptRequest {
  /** The id of the sample that the response becomes. */
  id: string;
  /** What the model is asked, as text. Whether it is wrapped in a chat template is the policy's affair. */
  prompt: string;
  /** The seed of this one draw, so that a sample does not depend on which others are drawn with it. */
  seed: number;
}

/** How responses are drawn. What is absent is off. */
export interface DrawOptions {
  /** The most tokens of a response, its end token included. */
  maxTokens: number;
  /** 0 takes the most probable token. */
  temperature: number;
  topP?: number;
  topK?: number;
  minP?: number;
  /** Texts that end a response; they are not part of it. */
  stop?: readonly string[];
}

/** A drawn response with its log-probabilities, ready to be graded. */
export interface Completion {
  response: string;
  /** The number of response tokens, the end token included when it was drawn; null when it is not known. */
  tokens: number | null;
  logprob: Sample['logprob'];
  /** The raw log-probabilities where `logprob` holds processed ones and both are known. */
  rawLogprob?: Sample['rawLogprob'];
  /** The mean self-certainty of the tokens, where distributions are seen. */
  selfCertainty?: number;
  stop: Sample['stop'];
  /** The seed that the response was drawn with; null when it was drawn without one. */
  seed: number | null;
}

/** A request and the response to it. */
export interface Drawn {
  request: PromptRequest;
  completion: Completion;
}

/**
 * A model that can be sampled and scored, in this process or behind a server: evaluation does not know which. What a
 * policy cannot do it refuses with an error; it never answers with something else.
 */
export interface Policy {
  /** What is recorded as the sampler of each sample, for instance `endpoint:chat:Qwen2.5-Math-7B`. */
  readonly name: string;
  /**
   * Draws one response to each request and gives each out as soon as it is finished, in any order. Requests that
   * failed are reported by an error after all others are finished.
   */
  sample(requests: readonly PromptRequest[], options: DrawOptions): AsyncGenerator<Drawn>;
  /** The log-probability of a response that is given. */
  score(prompt: string, response: string): Promise<NonNullable<Sample['logprob']>>;
  close(): Promise<void>;
}
