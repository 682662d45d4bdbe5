import { ExternalError, InputError, InterruptedError } from '@capo/samples';
import { afterEach, describe, expect, it } from 'vitest';
import type { Drawn, PromptRequest } from '../policy.js';
import { type EndpointOptions, EndpointPolicy } from './endpoint-policy.js';
import { type Misbehaviour, MOCK_LOGPROBS, type MockOptions, MockServer } from './testing/mock-server.js';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const action of cleanUp.splice(0).reverse()) await action();
});

async function connect(mock: MockOptions = {}, options: Partial<EndpointOptions> = {}) {
  const server = await MockServer.start(mock);
  cleanUp.push(() => server.stop());
  const policy = await EndpointPolicy.connect({
    url: server.url,
    model: 'mock',
    route: 'chat',
    temperature: 1,
    needsLogprobs: true,
    concurrency: 4,
    maxRetries: 3,
    timeoutSeconds: 5,
    random: () => 0,
    ...options,
  });
  cleanUp.push(() => policy.close());
  const probes = server.requests.length;
  return { server, policy, probes };
}

const requests = (count: number): PromptRequest[] =>
  Array.from({ length: count }, (_, i) => ({ id: `s${i}`, prompt: `problem ${i % 3}`, seed: 1000 + i }));

async function drawAll(policy: EndpointPolicy, wanted: PromptRequest[], maxTokens = 8): Promise<Drawn[]> {
  const drawn: Drawn[] = [];
  for await (const item of policy.sample(wanted, { maxTokens, temperature: 1 })) drawn.push(item);
  return drawn;
}

/** Misbehaves on requests of the run with that number, once; the probe is left alone. */
const once = (nth: number, misbehaviour: Misbehaviour): MockOptions => {
  let seen = -1;
  return {
    misbehave: (body) =>
      String(JSON.stringify(body)).includes('problem') && ++seen === nth ? misbehaviour : undefined,
  };
};

describe('the probe', () => {
  it('finds out what a good server does', async () => {
    const { policy } = await connect();
    expect(policy.name).toBe('endpoint:chat:mock');
    expect(policy.capabilities).toMatchObject({
      models: ['mock'],
      logprobs: true,
      alternatives: 4,
      semantics: { kind: 'raw' },
      seed: 'honoured',
      choices: 2,
      dialect: { maxTokensKey: 'max_tokens', sendsLogprobs: true, sendsSeed: true },
    });
  });

  it('finds log-probabilities after the temperature, and a seed that has no effect', async () => {
    const { policy } = await connect({ processed: true, ignoresSeed: true, models: null }, { route: 'completions' });
    expect(policy.capabilities).toMatchObject({ models: null, semantics: { kind: 'processed' }, seed: 'ignored' });
  });

  it('refuses a server without log-probabilities when they are needed, and only then', async () => {
    const mute: MockOptions = {
      misbehave: () => ({
        kind: 'edit',
        edit: (reply) => ({ ...reply, choices: (reply.choices as object[]).map((c) => ({ ...c, logprobs: null })) }),
      }),
    };
    await expect(connect(mute)).rejects.toThrow(/returns no log-probabilities for "mock"/);
    const { policy } = await connect(mute, { needsLogprobs: false });
    const [{ completion }] = await drawAll(policy, requests(1));
    expect(completion.logprob).toBeNull();
    expect(completion.response).not.toBe('');
  });

  it('suggests the model that was meant', async () => {
    await expect(connect({ models: ['Qwen2.5-Math-7B'] }, { model: 'qwen2.5-math-7b' })).rejects.toThrow(InputError);
    try {
      await connect({ models: ['Qwen2.5-Math-7B'] }, { model: 'qwen2.5-math-7b' });
    } catch (error) {
      expect((error as InputError).remedy).toMatch(/Did you mean "Qwen2.5-Math-7B"/);
    }
  });

  it('learns the dialect of servers that refuse a parameter', async () => {
    const strict: MockOptions = {
      misbehave: (body) => {
        const refuse = (message: string) => ({ kind: 'status', status: 400, body: { error: { message } } }) as const;
        if ('max_tokens' in body) return refuse("'max_tokens' is not supported. Use 'max_completion_tokens' instead.");
        if ('seed' in body) return refuse('Unknown parameter: seed');
        return undefined;
      },
    };
    const { policy } = await connect(strict);
    expect(policy.capabilities).toMatchObject({
      seed: 'refused',
      dialect: { maxTokensKey: 'max_completion_tokens', sendsSeed: false },
    });
    const [{ completion }] = await drawAll(policy, requests(1));
    expect(completion.seed).toBeNull();
  });

  it('says what a refused request is about', async () => {
    const refuse = { kind: 'status', status: 400, body: { error: { message: 'temperature must be 1' } } } as const;
    await expect(connect({ misbehave: () => refuse })).rejects.toThrow(/refuses the request: .*temperature must be 1/);
  });

  it('names the address where no server is, without trying for long', async () => {
    const started = Date.now();
    await expect(connect({}, { url: 'http://127.0.0.1:9/v1' })).rejects.toThrow(ExternalError);
    await expect(connect({}, { url: 'http://127.0.0.1:9/v1' })).rejects.toThrow(
      /127\.0\.0\.1:9\/v1\/: no server answers there: the connection was refused/,
    );
    expect(Date.now() - started).toBeLessThan(5000);
  });

  it('never shows the key that a server repeats', async () => {
    const body = { error: { message: 'Incorrect API key provided: sk-secret' } };
    const misbehave = () => ({ kind: 'status', status: 401, body }) as const;
    const attempt = connect({ models: null, misbehave }, { apiKey: 'sk-secret' });
    await expect(attempt).rejects.toThrow(/Incorrect API key provided: \[key\]/);
  });
});

describe('sampling', () => {
  it('gives each request one response with its log-probabilities', async () => {
    const { policy, server, probes } = await connect();
    const drawn = await drawAll(policy, requests(12));
    expect(drawn.map(({ request }) => request.id).sort()).toEqual(
      requests(12)
        .map(({ id }) => id)
        .sort(),
    );
    expect(server.requests.length - probes).toBe(12);
    for (const { request, completion } of drawn) {
      const words = completion.response.match(/ \d/g) as string[];
      // The mock's end token has -0.125.
      const sum = words.reduce((total, word) => total + MOCK_LOGPROBS[word], -0.125);
      expect(completion.logprob?.sum).toBeCloseTo(sum, 12);
      expect(completion.logprob?.mean).toBeCloseTo(sum / 5, 12);
      expect(completion).toMatchObject({ tokens: 5, stop: 'eos', seed: request.seed });
      expect(completion.logprob).toMatchObject({ semantics: 'raw', temperature: 1, eosCounted: true });
    }
    const [{ completion }] = await drawAll(policy, requests(1), 3);
    expect(completion).toMatchObject({ tokens: 3, stop: 'length' });
    expect(completion.logprob?.eosCounted).toBe(false);
  });

  it('draws the same for the same seed, alone or among others, on either route', async () => {
    for (const route of ['chat', 'completions'] as const) {
      const { policy } = await connect({}, { route });
      const together = await drawAll(policy, requests(9));
      const [alone] = await drawAll(policy, [requests(9)[4]]);
      expect(together.find(({ request }) => request.id === 's4')?.completion).toEqual(alone.completion);
    }
  });

  it('keeps no more requests in flight than it may', async () => {
    let inFlight = 0;
    let most = 0;
    const misbehave = () => {
      most = Math.max(most, ++inFlight);
      setTimeout(() => inFlight--, 20);
      return { kind: 'delay', ms: 20 } as const;
    };
    const { policy } = await connect({ misbehave }, { concurrency: 3 });
    most = 0;
    await drawAll(policy, requests(20));
    expect(most).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(1);
  });

  const passing: [string, Misbehaviour][] = [
    ['a dropped connection', { kind: 'drop' }],
    ['a connection that breaks within the answer', { kind: 'drop-within' }],
    ['status 500', { kind: 'status', status: 500 }],
    ['status 429 with a wait', { kind: 'status', status: 429, headers: { 'retry-after': '0.2' } }],
    ['status 503', { kind: 'status', status: 503, body: '<html>Service Unavailable</html>' }],
    ['JSON that is cut off', { kind: 'truncated' }],
    ['a slow trickle', { kind: 'trickle', ms: 50 }],
    ['a reply without choices', { kind: 'edit', edit: () => ({ choices: [] }) }],
    ['an error with status 200', { kind: 'edit', edit: () => ({ error: { message: 'overloaded' } }) }],
    ['an empty reply', { kind: 'edit', edit: () => '' }],
  ];
  it.each(passing)('asks again after %s', async (_, misbehaviour) => {
    const notes: string[] = [];
    const options = { timeoutSeconds: 1, onNote: (note: string) => notes.push(note) };
    const { policy, server, probes } = await connect(once(2, misbehaviour), options);
    const drawn = await drawAll(policy, requests(6));
    expect(drawn).toHaveLength(6);
    expect(new Set(drawn.map(({ request }) => request.id)).size).toBe(6);
    expect(server.requests.length - probes).toBe(7);
    expect(notes).toHaveLength(1);
  });

  it('waits as long as a busy server asks, with all requests', async () => {
    const times: number[] = [];
    const { misbehave } = once(0, { kind: 'status', status: 429, headers: { 'retry-after': '1' } });
    const watched: MockOptions = {
      misbehave: (body, count) => {
        if (JSON.stringify(body).includes('problem')) times.push(Date.now());
        return misbehave?.(body, count);
      },
    };
    const { policy } = await connect(watched, { concurrency: 1 });
    await drawAll(policy, requests(3));
    expect(times[1] - times[0]).toBeGreaterThanOrEqual(990);
  });

  it('keeps a response whose log-probabilities are missing or infinite, without a sum', async () => {
    const edit = (reply: Record<string, unknown>) =>
      JSON.stringify(reply).replace(/"logprob":-0.125/, '"logprob":-Infinity');
    const { policy } = await connect(once(0, { kind: 'edit', edit }), { concurrency: 1 });
    const [{ completion }, second] = await drawAll(policy, requests(2));
    expect(completion.logprob).toMatchObject({ sum: null, reason: '1 of 5 log-probabilities are missing or infinite' });
    expect(completion.response).not.toBe('');
    expect(second.completion.logprob?.sum).toBeLessThan(0);
  });

  it('asks for several choices at once when told, and singly for those that do not come', async () => {
    let groups = 0;
    const misbehave: MockOptions['misbehave'] = (body) => {
      if (!JSON.stringify(body).includes('problem') || body.n !== 4 || ++groups !== 1) return undefined;
      // Three of four, and one of them twice.
      return {
        kind: 'edit',
        edit: (reply: Record<string, unknown>) => {
          const choices = reply.choices as { index: number }[];
          return { ...reply, choices: [choices[0], choices[1], choices[1], choices[3]] };
        },
      };
    };
    const { policy, server, probes } = await connect({ misbehave }, { choicesPerRequest: 4 });
    const wanted = requests(12);
    const drawn = await drawAll(policy, wanted);
    expect(drawn.map(({ request }) => request.id).sort()).toEqual(wanted.map(({ id }) => id).sort());
    // Three problems with four draws each, and one choice that was missing.
    expect(server.requests.length - probes).toBe(4);
    const seeds = drawn.map(({ completion }) => completion.seed).filter((seed) => seed !== null);
    expect(seeds).toHaveLength(1);
  });

  it('asks singly when several choices are copies of one', async () => {
    const copy = (reply: Record<string, unknown>) => {
      const [first, ...others] = reply.choices as object[];
      return { ...reply, choices: [first, ...others.map((_, i) => ({ ...first, index: i + 1 }))] };
    };
    const mock: MockOptions = { misbehave: (body) => (body.n ? { kind: 'edit', edit: copy } : undefined) };
    const { policy, server, probes } = await connect(mock, { choicesPerRequest: 4 });
    expect(policy.capabilities.choices).toBe(1);
    await drawAll(policy, requests(12));
    expect(server.requests.length - probes).toBe(12);
  });

  it('reports a request that is refused, after all others', async () => {
    const misbehave: MockOptions['misbehave'] = (body) =>
      JSON.stringify(body).includes('problem 1')
        ? { kind: 'status', status: 400, body: { error: { message: 'prompt too long' } } }
        : undefined;
    const { policy, server, probes } = await connect({ misbehave });
    const drawn: Drawn[] = [];
    const work = async () => {
      for await (const item of policy.sample(requests(9), { maxTokens: 8, temperature: 1 })) drawn.push(item);
    };
    await expect(work()).rejects.toThrow(/3 of 9 requests failed. First: s1: status 400: prompt too long/);
    expect(drawn).toHaveLength(6);
    expect(server.requests.length - probes).toBe(9);
  });

  it('makes no further attempt when none is allowed', async () => {
    const { policy, server, probes } = await connect(once(1, { kind: 'status', status: 500 }), { maxRetries: 0 });
    await expect(drawAll(policy, requests(5))).rejects.toThrow(/1 of 5 requests failed/);
    expect(server.requests.length - probes).toBe(5);
  });

  it('stops at once when the quota is used up, and keeps what came', async () => {
    let asked = 0;
    const quota = { error: { message: 'You exceeded your current quota', type: 'insufficient_quota' } };
    const misbehave: MockOptions['misbehave'] = (body) =>
      JSON.stringify(body).includes('problem') && ++asked > 8
        ? { kind: 'status', status: 429, body: quota }
        : undefined;
    const { policy, server, probes } = await connect({ misbehave }, { concurrency: 2 });
    const drawn: Drawn[] = [];
    const work = async () => {
      for await (const item of policy.sample(requests(100), { maxTokens: 8, temperature: 1 })) drawn.push(item);
    };
    await expect(work()).rejects.toThrow(/the quota is used up/);
    expect(drawn.length).toBeGreaterThanOrEqual(7);
    expect(server.requests.length - probes).toBeLessThanOrEqual(10);
  });

  it('gives up on a server that has stopped answering, long before the end of the list', async () => {
    const { policy, server, probes } = await connect({}, { maxRetries: 1, concurrency: 2 });
    expect(await drawAll(policy, requests(2))).toHaveLength(2);
    Object.assign(server.options, { misbehave: () => ({ kind: 'drop' }) });
    await expect(drawAll(policy, requests(500))).rejects.toThrow(/gives no usable answer/);
    expect(server.requests.length - probes).toBeLessThan(20);
  });

  it('stops when it is interrupted, in the middle of a wait and of an answer', async () => {
    for (const misbehaviour of [
      { kind: 'delay', ms: 60_000 },
      { kind: 'status', status: 429, headers: { 'retry-after': '60' } },
    ] as const) {
      const controller = new AbortController();
      const { policy } = await connect(once(0, misbehaviour), { signal: controller.signal, timeoutSeconds: 100 });
      const started = Date.now();
      setTimeout(() => controller.abort(), 300);
      await expect(drawAll(policy, requests(2))).rejects.toThrow(InterruptedError);
      expect(Date.now() - started).toBeLessThan(5000);
    }
  });

  it('labels log-probabilities by what was found, by the user, or not at all', async () => {
    const semantics = async (mock: MockOptions, options: Partial<EndpointOptions>, temperature: number) => {
      const { policy } = await connect(mock, { temperature, ...options });
      for await (const { completion } of policy.sample(requests(1), { maxTokens: 8, temperature })) {
        return completion.logprob?.semantics ?? null;
      }
      return undefined;
    };
    expect(await semantics({ processed: true }, {}, 0.7)).toBe('processed');
    expect(await semantics({}, {}, 0.7)).toBe('raw');
    // Every token certain in the probe: nothing can be said, except at temperature 1 where both are the same.
    const certain: MockOptions = {
      misbehave: (body) =>
        JSON.stringify(body).includes('problem')
          ? undefined
          : { kind: 'edit', edit: (reply) => JSON.stringify(reply).replace(/"logprob":-[\d.]+/g, '"logprob":-0.0001') },
    };
    expect(await semantics(certain, {}, 0.7)).toBeNull();
    expect(await semantics(certain, {}, 1)).toBe('raw');
    expect(await semantics(certain, { semantics: 'processed' }, 0.7)).toBe('processed');
  });
});

describe('score', () => {
  it('sums the log-probabilities of the response alone', async () => {
    const edit = () => ({
      choices: [
        {
          index: 0,
          text: 'Q: 2 x',
          logprobs: {
            tokens: ['Q', ': ', '2', ' x', '!'],
            token_logprobs: [null, -3, -0.5, -0.25, -9],
            top_logprobs: [],
          },
        },
      ],
    });
    const mock: MockOptions = { misbehave: (body) => (body.echo ? { kind: 'edit', edit } : undefined) };
    const { policy } = await connect(mock, { route: 'completions' });
    expect(await policy.score('Q: ', '2 x')).toMatchObject({ sum: -0.75, mean: -0.375, perToken: [-0.5, -0.25] });
    await expect(policy.score('Q: ', '3 x')).rejects.toThrow(/did not echo/);
    await expect(policy.score('Q:', ' 2 x')).rejects.toThrow(/The token ": " holds the end of the prompt/);
  });

  it('says why it cannot', async () => {
    const { policy } = await connect({}, { route: 'completions' });
    await expect(policy.score('a long prompt that is not echoed', 'x')).rejects.toThrow(/did not echo/);
    const chat = await connect();
    await expect(chat.policy.score('a', 'b')).rejects.toThrow(/cannot be scored through the chat route/);
  });
});
