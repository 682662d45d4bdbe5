import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';

/** How one attempt at a request ended. */
export type Attempt =
  /** The server answered completely, with whatever status. */
  | { kind: 'answer'; status: number; headers: Record<string, string | undefined>; body: string }
  /** The connection failed, broke off or took too long. */
  | { kind: 'failure'; reason: string };

/** A reply larger than this is no reply of a language model. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/**
 * A client of one server that sends and gets JSON. It keeps connections open, and a deadline covers a whole attempt,
 * the last byte of the body included, so that a server that trickles cannot hold it.
 */
export class JsonClient {
  private readonly agent: PlainAgent;
  private readonly send: typeof plainRequest;

  constructor(
    private readonly base: URL,
    private readonly apiKey: string | undefined,
    maxConnections: number,
  ) {
    const secure = base.protocol === 'https:';
    const options = { keepAlive: true, maxSockets: maxConnections };
    this.agent = secure ? new SecureAgent(options) : new PlainAgent(options);
    this.send = secure ? secureRequest : plainRequest;
  }

  /** One attempt; it never throws. Without a body it is a GET, else a POST. */
  attempt(path: string, body: unknown, timeoutMs: number, signal?: AbortSignal): Promise<Attempt> {
    const url = new URL(path, this.base);
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers: Record<string, string | number> = { accept: 'application/json' };
    if (this.apiKey) headers.authorization = `Bearer ${this.apiKey}`;
    if (payload) Object.assign(headers, { 'content-type': 'application/json', 'content-length': payload.length });
    return new Promise((resolve) => {
      const request = this.send(url, { method: payload ? 'POST' : 'GET', headers, agent: this.agent });
      const timer = setTimeout(() => fail(`no complete answer within ${timeoutMs / 1000} s`), timeoutMs);
      const stop = () => fail('it was cancelled');
      const finish = (result: Attempt) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        resolve(result);
      };
      const fail = (reason: string) => {
        finish({ kind: 'failure', reason });
        request.destroy();
      };
      request.on('error', (error) => fail(explain(error)));
      request.on('response', (response) => {
        collect(response).then(
          (text) => finish({ kind: 'answer', status: response.statusCode ?? 0, headers: flat(response), body: text }),
          (error) => fail(explain(error)),
        );
      });
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop);
      request.end(payload);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

async function collect(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`the answer is larger than ${MAX_BODY_BYTES} bytes`);
    parts.push(part);
  }
  if (!response.complete) throw new Error('the connection broke off within the answer');
  return Buffer.concat(parts).toString('utf8');
}

function flat({ headers }: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));
}

/** A system's error code in words; `AggregateError` is what a name with several addresses gives. */
function explain(error: Error & { code?: string; errors?: Error[] }): string {
  const words: Record<string, string> = {
    ECONNREFUSED: 'the connection was refused: nothing listens there',
    ECONNRESET: 'the connection was reset',
    ENOTFOUND: 'the host name is not known',
    EAI_AGAIN: 'the host name cannot be looked up',
    EPIPE: 'the connection was closed',
    HPE_INVALID_CONSTANT: 'what answers there does not speak HTTP',
  };
  const known = words[error.code ?? ''];
  return known ?? (error.message || error.errors?.[0]?.message || error.code || error.name);
}
