import { setTimeout as sleep } from 'node:timers/promises';
import { ExternalError, InputError, InterruptedError } from '@capo/samples';
import { backOff, retryAfter } from '../endpoint/retry.js';

export interface HubClientOptions {
  /** The hub's address. */
  endpoint: string;
  /** Sent to the hub's address only, never shown and never stored. */
  token?: string | undefined;
  maxRetries: number;
  /** An answer that brings nothing for so long has stalled. */
  stallSeconds: number;
  random: () => number;
  onNote?: ((message: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Something that passes: the same request may work in a moment. */
export class PassingFailure extends Error {
  constructor(
    message: string,
    readonly waitMs: number | null = null,
  ) {
    super(message);
  }
}

/** Requests to the hub, with retries of what may pass. */
export class HubClient {
  constructor(private readonly options: HubClientOptions) {}

  /**
   * Makes a request and uses its answer, again from the start after a passing failure in either. `use` gets a function
   * that it calls when data arrive, so that a stalled answer is noticed.
   *
   * @param path below the hub's address
   */
  async request<T>(
    path: string,
    headers: () => Record<string, string>,
    use: (response: Response, alive: () => void) => Promise<T>,
  ): Promise<T> {
    const url = `${this.options.endpoint}/${path}`;
    for (let failures = 1; ; failures++) {
      try {
        return await this.attempt(url, headers(), use);
      } catch (error) {
        if (this.options.signal?.aborted) throw interrupted();
        if (!isPassing(error)) throw error;
        const reason = describe(error);
        if (failures > this.options.maxRetries) {
          throw new ExternalError(
            `${url}: ${reason} (${failures} ${failures === 1 ? 'attempt' : 'attempts'})`,
            'What has arrived is kept; run the same command again and it goes on from there. HF_ENDPOINT sets the address of the hub.',
          );
        }
        const asked = error instanceof PassingFailure ? (error.waitMs ?? 0) : 0;
        const waitMs = Math.max(asked, backOff(failures, this.options.random));
        this.options.onNote?.(`${path}: ${reason}; attempt ${failures + 1} in ${(waitMs / 1000).toFixed(1)} s`);
        await sleep(waitMs, undefined, this.options.signal ? { signal: this.options.signal } : {}).catch(() => {
          throw interrupted();
        });
      }
    }
  }

  private async attempt<T>(
    url: string,
    headers: Record<string, string>,
    use: (response: Response, alive: () => void) => Promise<T>,
  ): Promise<T> {
    const stall = new AbortController();
    const stalled = () => stall.abort(new PassingFailure(`nothing arrived for ${this.options.stallSeconds} s`));
    let timer = setTimeout(stalled, this.options.stallSeconds * 1000);
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(stalled, this.options.stallSeconds * 1000);
    };
    const signals = [stall.signal, this.options.signal].filter((signal) => signal !== undefined);
    // A redirection to another address, as to the hub's storage, loses this header: that is what fetch does.
    const authorization = this.options.token ? { authorization: `Bearer ${this.options.token}` } : {};
    try {
      const response = await fetch(url, {
        headers: { 'user-agent': 'capo', ...headers, ...authorization },
        signal: AbortSignal.any(signals),
      });
      alive();
      await checkStatus(response, url, this.options.token !== undefined);
      return await use(response, alive);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function checkStatus(response: Response, url: string, hasToken: boolean): Promise<void> {
  const { status } = response;
  if (response.ok || status === 416) return;
  await response.body?.cancel();
  if (status === 401 || status === 403) {
    throw new ExternalError(
      `${url}: the hub refuses access (status ${status}).`,
      hasToken
        ? 'Accept the terms of the model on its page, and check that HF_TOKEN may read it.'
        : 'The model is private, gated or does not exist. Set HF_TOKEN if you have access.',
    );
  }
  if (status === 404) {
    throw new InputError(`${url}: the hub has no such model, revision or file.`, 'Check the spelling on the hub.');
  }
  if (status === 408 || status === 429 || status >= 500) {
    throw new PassingFailure(
      `status ${status}`,
      retryAfter(response.headers.get('retry-after') ?? undefined, Date.now()),
    );
  }
  throw new ExternalError(`${url}: the hub answers with status ${status}.`);
}

/** `fetch` reports every broken connection as a TypeError. */
function isPassing(error: unknown): boolean {
  return error instanceof PassingFailure || error instanceof TypeError;
}

function describe(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause ? `${message} (${cause.code ?? cause.message})` : message;
}

function interrupted(): InterruptedError {
  return new InterruptedError('The download was interrupted.', 'Run the same command again and it goes on from there.');
}
