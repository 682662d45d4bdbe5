import { ExternalError, InputError, type Sample } from '@capo/samples';
import type { Drawn, DrawOptions, Policy, PromptRequest } from '../policy.js';
import { toCompletion } from './completion.js';
import { endpointAddress } from './endpoint-address.js';
import { type ClientOptions, EndpointClient, RequestFailure } from './endpoint-client.js';
import { type Capabilities, probe } from './probe.js';
import { ROUTE_PATHS, type Route, requestBody } from './request-body.js';
import { scoreFromEcho } from './score-from-echo.js';
import { workerPool } from './worker-pool.js';

export interface EndpointOptions extends ClientOptions {
  /** The server's address; see `endpointAddress`. */
  url: string;
  model: string;
  route: Route;
  /** A system message before each prompt of the chat route. */
  system?: string | undefined;
  /** The temperature of the run, at which the probe looks. */
  temperature: number;
  /** Refuse a server that returns no log-probabilities. */
  needsLogprobs: boolean;
  /** What the log-probabilities are, if the user knows better than the probe can find out. */
  semantics?: 'raw' | 'processed' | undefined;
  /**
   * Draws of one prompt that are asked for in one request. More than 1 saves prompt tokens, but the draws then share
   * one seed, so that none of them can be drawn again alone. Default 1.
   */
  choicesPerRequest?: number | undefined;
}

/**
 * A model behind an OpenAI-compatible server (vLLM, SGLang, llama.cpp server, Ollama, OpenAI) as a policy.
 *
 * @example
 * const policy = await EndpointPolicy.connect({ url: 'http://localhost:8000/v1', model: 'm', route: 'chat', ... });
 * for await (const { request, completion } of policy.sample(requests, { maxTokens: 3000, temperature: 1 })) ...
 */
export class EndpointPolicy implements Policy {
  readonly name: string;

  private constructor(
    private readonly client: EndpointClient,
    private readonly options: EndpointOptions,
    /** What the server was found to do. */
    readonly capabilities: Capabilities,
  ) {
    this.name = `endpoint:${options.route}:${options.model}`;
  }

  /** Reaches the server and finds out what it can do. */
  static async connect(options: EndpointOptions): Promise<EndpointPolicy> {
    const client = new EndpointClient(endpointAddress(options.url), options);
    try {
      const capabilities = await probe({ client, ...options });
      if (options.needsLogprobs && !capabilities.logprobs) {
        throw new ExternalError(
          `${client.address}: the server returns no log-probabilities for "${options.model}".`,
          'Calibration needs them: use a server that has them (vLLM, SGLang, llama.cpp), or --no-logprobs for accuracy alone.',
        );
      }
      return new EndpointPolicy(client, options, capabilities);
    } catch (error) {
      client.close();
      throw error;
    }
  }

  async *sample(requests: readonly PromptRequest[], options: DrawOptions): AsyncGenerator<Drawn> {
    const failures: string[] = [];
    const queue = this.grouped(requests);
    yield* workerPool(queue, this.options.concurrency, async (group) => {
      try {
        const drawn = await this.draw(group, options);
        // Choices that the server left out are asked for one by one.
        queue.push(...group.slice(drawn.length).map((request) => [request]));
        return drawn;
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
        failures.push(...group.map(({ id }) => `${id}: ${error.message}`));
        return [];
      }
    });
    if (failures.length > 0) {
      throw new ExternalError(
        `${failures.length} of ${requests.length} requests failed. First: ${failures.slice(0, 3).join('; ')}`,
        'The others are kept; run the same command again and only the failed ones are asked for.',
      );
    }
  }

  /** Scores by the echo of the completions route, which returns the log-probabilities of a given text. */
  async score(prompt: string, response: string): Promise<NonNullable<Sample['logprob']>> {
    if (this.options.route !== 'completions') {
      throw new InputError(
        'A given response cannot be scored through the chat route, which does not tell the prompt as the model sees it.',
        'Use --route completions with the templated prompt.',
      );
    }
    const body = { model: this.options.model, prompt: prompt + response, max_tokens: 1, temperature: 1, echo: true };
    const { choices } = await this.client.complete(ROUTE_PATHS.completions, { ...body, logprobs: 1 });
    return scoreFromEcho(choices[0].tokens ?? [], prompt, response);
  }

  async close(): Promise<void> {
    this.client.close();
  }

  private async draw(group: readonly PromptRequest[], options: DrawOptions): Promise<Drawn[]> {
    const { dialect } = this.capabilities;
    const choices = group.length;
    const alone = choices === 1;
    const { model, system, route } = this.options;
    const [{ prompt, seed }] = group;
    const body = requestBody(route, dialect, { ...options, model, system, prompt, seed, choices, alternatives: 1 });
    const reply = await this.client.complete(ROUTE_PATHS[route], body);
    return reply.choices.slice(0, choices).map((choice, i) => ({
      request: group[i],
      completion: toCompletion(choice, {
        semantics: this.semantics(options),
        temperature: options.temperature,
        seed: alone && dialect.sendsSeed ? seed : null,
        completionTokens: alone && reply.choices.length === 1 ? reply.completionTokens : null,
      }),
    }));
  }

  private semantics(options: DrawOptions): 'raw' | 'processed' | null {
    if (!this.capabilities.logprobs) return null;
    const found = this.options.semantics ?? this.capabilities.semantics.kind;
    if (found !== 'unknown') return found;
    const truncates = [options.topP, options.topK, options.minP].some((value) => value !== undefined);
    // Without temperature and truncation both are the same.
    return options.temperature === 1 && !truncates ? 'raw' : null;
  }

  private grouped(requests: readonly PromptRequest[]): PromptRequest[][] {
    const size = this.capabilities.choices > 1 ? (this.options.choicesPerRequest ?? 1) : 1;
    if (size === 1) return requests.map((request) => [request]);
    const groups: PromptRequest[][] = [];
    const open = new Map<string, PromptRequest[]>();
    for (const request of requests) {
      let group = open.get(request.prompt);
      if (!group || group.length === size) {
        group = [];
        open.set(request.prompt, group);
        groups.push(group);
      }
      group.push(request);
    }
    return groups;
  }
}
