import { setTimeout as sleep } from 'node:timers/promises';
import { ExternalError, InterruptedError } from '@capo/samples';
import { JsonClient } from './http-json.js';
import { parseLenientJson } from './lenient-json.js';
import { type Reply, readReply } from './reply.js';
import { backOff, judge, type Outcome } from './retry.js';

export interface ClientOptions {
  apiKey?: string | undefined;
  /** Requests in flight at a time. */
  concurrency: number;
  /** Further attempts after the first; 0 means none. */
  maxRetries: number;
  /** Seconds for one attempt, from the first byte sent to the last byte received. */
  timeoutSeconds: number;
  /** For the random part of waiting times. */
  random: () => number;
  onNote?: ((message: string) => void) | undefined;
  /** Ends the work: attempts are broken off and no more are made. */
  signal?: AbortSignal | undefined;
}

/** One request failed for good; others may succeed. `refused` when the server will have none of it. */
export class RequestFailure extends Error {
  constructor(
    message: string,
    readonly refused: boolean,
  ) {
    super(message);
  }
}

/**
 * Sends requests to one server with retries. What concerns all requests is shared: a server that is busy is left alone
 * by everyone for as long as it asks, and one that has stopped answering ends the work.
 */
export class EndpointClient {
  private readonly http: JsonClient;
  /** No attempt starts before this time. */
  private notBefore = 0;
  /** Requests that failed for good since the last success. */
  private failuresInARow = 0;
  private succeeded = false;
  /** Set when no request can succeed any more: attempts in flight may finish, but none is repeated. */
  private fatal: ExternalError | undefined;
  /** Ends the waiting of the others then. */
  private readonly ended = new AbortController();

  constructor(
    readonly address: URL,
    private readonly options: ClientOptions,
  ) {
    this.http = new JsonClient(address, options.apiKey, options.concurrency);
  }

  /**
   * Asks for a completion until there is a valid reply.
   *
   * @throws RequestFailure when this request failed for good; ExternalError when every other would too
   */
  async complete(route: string, body: unknown): Promise<Reply> {
    const text = await this.request(route, body, (answer) => {
      try {
        const read = readReply(parseLenientJson(answer));
        return 'problem' in read ? read.problem : undefined;
      } catch {
        return `the answer is not complete JSON (${answer.length} characters)`;
      }
    });
    return (readReply(parseLenientJson(text)) as { reply: Reply }).reply;
  }

  /** The names of the models that the server has; null when it does not tell. */
  async models(): Promise<string[] | null> {
    const attempt = await this.http.attempt('models', undefined, 10_000, this.options.signal);
    if (attempt.kind === 'failure') {
      throw new ExternalError(
        `${this.address}: no server answers there: ${attempt.reason}.`,
        'Check that the server runs and that --endpoint is its address, usually ending in /v1.',
      );
    }
    const outcome = judge(attempt);
    if (outcome.kind === 'fatal' && attempt.status !== 404) throw this.explained(outcome);
    try {
      const list = (JSON.parse(attempt.body) as { data?: { id?: unknown }[] }).data;
      const names = list?.map(({ id }) => id).filter((id) => typeof id === 'string');
      return names && names.length > 0 ? names : null;
    } catch {
      return null;
    }
  }

  close(): void {
    this.http.close();
  }

  private async request(route: string, body: unknown, check: (answer: string) => string | undefined): Promise<string> {
    for (let failures = 0; ; ) {
      await this.whenReady();
      const attempt = await this.http.attempt(route, body, this.options.timeoutSeconds * 1000, this.options.signal);
      let outcome = judge(attempt);
      if (outcome.kind === 'done') {
        const problem = check(outcome.body);
        if (problem) outcome = { kind: 'retry', reason: problem, waitMs: null, busy: false };
      }
      if (outcome.kind === 'done') {
        this.succeeded = true;
        this.failuresInARow = 0;
        return outcome.body;
      }
      if (this.options.signal?.aborted) throw interrupted();
      const reason = this.withoutKey(outcome.reason);
      if (outcome.kind === 'fatal') throw this.giveUp(this.explained(outcome));
      if (outcome.kind === 'reject') throw new RequestFailure(reason, true);
      failures++;
      if (failures > this.options.maxRetries || this.fatal) throw this.failed(reason, failures);
      const waitMs = Math.max(outcome.waitMs ?? 0, backOff(failures, this.options.random));
      const next = Date.now() + waitMs;
      if (outcome.busy) this.notBefore = Math.max(this.notBefore, next);
      this.options.onNote?.(`${route}: ${reason}; attempt ${failures + 1} in ${(waitMs / 1000).toFixed(1)} s`);
      await this.waitUntil(next);
    }
  }

  private failed(reason: string, attempts: number): Error {
    this.failuresInARow++;
    const failure = new RequestFailure(`${reason} (${attempts} ${attempts === 1 ? 'attempt' : 'attempts'})`, false);
    const limit = this.succeeded ? Math.max(3, this.options.concurrency) : 1;
    if (this.failuresInARow < limit) return failure;
    const remedy = this.succeeded
      ? 'What is finished is kept; run the same command again when the server works.'
      : 'Check that the server runs and that --endpoint and --model are right.';
    return this.giveUp(
      new ExternalError(`${this.address}: the server gives no usable answer: ${failure.message}.`, remedy),
    );
  }

  private giveUp(error: ExternalError): ExternalError {
    this.fatal ??= error;
    this.ended.abort();
    return this.fatal;
  }

  private explained(outcome: Outcome & { kind: 'fatal' }): ExternalError {
    return new ExternalError(`${this.address}: ${this.withoutKey(outcome.reason)}`, outcome.remedy);
  }

  /** Servers repeat a wrong key in their message. */
  private withoutKey(text: string): string {
    return this.options.apiKey ? text.replaceAll(this.options.apiKey, '[key]') : text;
  }

  private async whenReady(): Promise<void> {
    while (Date.now() < this.notBefore) await this.waitUntil(this.notBefore);
    if (this.fatal) throw this.fatal;
    if (this.options.signal?.aborted) throw interrupted();
  }

  private async waitUntil(time: number): Promise<void> {
    const signals = [this.ended.signal, this.options.signal].filter((signal) => signal !== undefined);
    try {
      await sleep(Math.max(0, time - Date.now()), undefined, { signal: AbortSignal.any(signals) });
    } catch {
      throw this.fatal ?? interrupted();
    }
  }
}

function interrupted(): InterruptedError {
  return new InterruptedError('Sampling was interrupted.', 'What is finished is kept; run the same command to go on.');
}
