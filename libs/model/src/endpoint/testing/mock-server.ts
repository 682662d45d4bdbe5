import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

/** What a request is answered with instead of a good reply. */
export type Misbehaviour =
  | { kind: 'drop' }
  | { kind: 'drop-within' }
  | { kind: 'delay'; ms: number }
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  | { kind: 'truncated' }
  | { kind: 'trickle'; ms: number }
  /** Changes the good reply, as text. */
  | { kind: 'edit'; edit: (reply: Json) => Json | string };

export interface MockOptions {
  /** How this request is answered; undefined means well. `count` is the number of requests before it. */
  misbehave?: (body: Json, count: number) => Misbehaviour | undefined;
  /** Log-probabilities after the temperature instead of before it. */
  processed?: boolean;
  ignoresSeed?: boolean;
  models?: string[] | null;
}

/** The tokens of the mock's tiny language, with their log-probabilities at temperature 1 (natural logarithms). */
export const MOCK_LOGPROBS: Record<string, number> = {
  ' 1': Math.log(0.5),
  ' 2': Math.log(0.3),
  ' 3': Math.log(0.15),
  ' 4': Math.log(0.05),
};

/**
 * A small OpenAI-compatible server on the loopback address, for tests: its text is a function of prompt and seed, and it
 * misbehaves as it is told.
 */
export class MockServer {
  /** The bodies of all requests for completions. */
  readonly requests: Json[] = [];
  private draws = 0;

  private constructor(
    private readonly server: Server,
    readonly options: MockOptions,
  ) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(options: MockOptions = {}): Promise<MockServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new MockServer(server, options);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.endsWith('/models')) {
      const { models = ['mock'] } = this.options;
      if (models === null) send(response, 404, { error: 'not found' });
      else send(response, 200, { data: models.map((id) => ({ id })) });
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body: Json = JSON.parse(Buffer.concat(parts).toString() || '{}');
    const misbehaviour = this.options.misbehave?.(body, this.requests.length);
    this.requests.push(body);
    const good = () => this.reply(body, request.url?.endsWith('/chat/completions') ?? false);
    if (!misbehaviour) return send(response, 200, good());
    switch (misbehaviour.kind) {
      case 'drop':
        request.socket.destroy();
        return;
      case 'drop-within': {
        const text = JSON.stringify(good());
        response.writeHead(200, { 'content-length': text.length });
        response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
        return;
      }
      case 'delay':
        await new Promise((resolve) => setTimeout(resolve, misbehaviour.ms));
        return send(response, 200, good());
      case 'status':
        return send(
          response,
          misbehaviour.status,
          misbehaviour.body ?? { error: { message: 'no' } },
          misbehaviour.headers,
        );
      case 'truncated': {
        const text = JSON.stringify(good());
        return send(response, 200, text.slice(0, text.length - 20));
      }
      case 'trickle': {
        const text = JSON.stringify(good());
        response.writeHead(200);
        for (const letter of text) {
          if (response.destroyed) return;
          response.write(letter);
          await new Promise((resolve) => setTimeout(resolve, misbehaviour.ms));
        }
        response.end();
        return;
      }
      case 'edit':
        return send(response, 200, misbehaviour.edit(good()));
    }
  }

  private reply(body: Json, chat: boolean): Json {
    const n = Number(body.n ?? 1);
    const choices = Array.from({ length: n }, (_, index) => this.choice(body, chat, index));
    const tokens = choices.reduce((sum, choice) => sum + choice.length, 0);
    return {
      choices: choices.map(({ json }) => json),
      usage: { prompt_tokens: 5, completion_tokens: tokens, total_tokens: tokens + 5 },
    };
  }

  /** Up to four tokens; then the end token, unless `max_tokens` cuts it off. */
  private choice(body: Json, chat: boolean, index: number): { json: Json; length: number } {
    const temperature = Number(body.temperature ?? 1);
    const scale = this.options.processed && temperature > 0 ? 1 / temperature : 1;
    const powers = Object.entries(MOCK_LOGPROBS).map(([token, value]) => [token, scale * value] as const);
    const norm = Math.log(powers.reduce((sum, [, value]) => sum + Math.exp(value), 0));
    const table = new Map(powers.map(([token, value]) => [token, value - norm]));
    const draw = this.options.ignoresSeed ? this.draws++ : (body.seed ?? this.draws++);
    const key = JSON.stringify([body.prompt ?? body.messages, draw, index]);
    const digest = createHash('sha256').update(key).digest();
    const limit = Number(body.max_tokens ?? body.max_completion_tokens ?? 16);
    const ended = limit > 4;
    const words = Array.from({ length: Math.min(limit, 4) }, (_, i) => [...table.keys()][digest[i] % 4]);
    const tokens = ended ? [...words, '<end>'] : words;
    const logprob = (token: string) => table.get(token) ?? -0.125;
    const choice: Json = { index, finish_reason: ended ? 'stop' : 'length' };
    const text = words.join('');
    if (chat) {
      choice.message = { role: 'assistant', content: text };
      const top = [...table].map(([token, value]) => ({ token, logprob: value }));
      const content = tokens.map((token) => ({
        token,
        logprob: logprob(token),
        bytes: [...Buffer.from(token)],
        top_logprobs: top.slice(0, Number(body.top_logprobs ?? 0)),
      }));
      choice.logprobs = body.logprobs === true ? { content } : null;
    } else {
      choice.text = text;
      const top = Object.fromEntries([...table].slice(0, Number(body.logprobs ?? 0)));
      const lists = { tokens, token_logprobs: tokens.map(logprob), top_logprobs: tokens.map(() => top) };
      choice.logprobs = body.logprobs === undefined ? null : lists;
    }
    return { json: choice, length: tokens.length };
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
