import { describe, expect, it } from 'vitest';
import { toCompletion } from './completion.js';
import { type Choice, readReply } from './reply.js';

const context = { semantics: 'raw', temperature: 0.8, seed: 7, completionTokens: null } as const;
const token = (text: string, logprob: number | null, bytes: number[] | null = null) => ({
  token: text,
  logprob,
  bytes,
  alternatives: new Map<string, number>(),
});
const choice = (changes: Partial<Choice>): Choice => ({ index: 0, text: 'a b', stop: 'eos', tokens: null, ...changes });

describe('toCompletion', () => {
  it('sums the log-probabilities and divides by the number of tokens', () => {
    const tokens = [token('a', -0.5), token(' b', -1), token('<end>', -0.75)];
    expect(toCompletion(choice({ tokens }), { ...context, completionTokens: 3 })).toEqual({
      response: 'a b',
      tokens: 3,
      // -0.5 - 1 - 0.75 = -2.25; -2.25 / 3 = -0.75
      logprob: {
        sum: -2.25,
        mean: -0.75,
        perToken: [-0.5, -1, -0.75],
        semantics: 'raw',
        temperature: 0.8,
        eosCounted: true,
      },
      stop: 'eos',
      seed: 7,
    });
  });

  it('gives null and the counts where values are missing, and never a sum of the rest', () => {
    const tokens = [token('a', -0.5), token(' b', null), token('', null)];
    expect(toCompletion(choice({ tokens }), context).logprob).toMatchObject({
      sum: null,
      mean: null,
      perToken: [-0.5, null, null],
      reason: '2 of 3 log-probabilities are missing or infinite',
    });
  });

  it('notices that a server dropped some silently', () => {
    const tokens = [token('a', -0.5), token(' b', -1)];
    const completion = toCompletion(choice({ tokens }), { ...context, completionTokens: 120 });
    expect(completion.tokens).toBe(120);
    expect(completion.logprob).toMatchObject({ sum: null, reason: expect.stringMatching(/120 tokens and gave 2/) });
    // Three tokens and two values is a server that leaves the end token out.
    expect(toCompletion(choice({ tokens }), { ...context, completionTokens: 3 }).logprob?.sum).toBe(-1.5);
  });

  it('has no log-probability where there is none or its meaning is not known, and says so', () => {
    expect(toCompletion(choice({ tokens: null }), { ...context, semantics: null }).logprob).toBeNull();
    expect(toCompletion(choice({ tokens: null }), context).logprob).toMatchObject({
      sum: null,
      reason: 'the server gave no log-probabilities for this response',
    });
    const empty = toCompletion(choice({ tokens: [], text: '' }), context).logprob;
    expect(empty).toMatchObject({ sum: null, mean: null, reason: 'the response has no tokens' });
  });

  it.each([
    ['the list ends with a token that the text has', [token('a', -1), token(' b', -1)], false],
    ['the last token is not in the text', [token(' b', -1), token('<|im_end|>', -1)], true],
    ['the last token is empty', [token(' b', -1), token('', -1)], true],
    ['the last token is a space that the server trimmed', [token(' b', -1), token('\n', -1)], false],
    ['bytes tell, whatever the text of the token', [token('\uFFFD', -1, [0x20, 0x62])], false],
    ['bytes tell that it is not in the text', [token('b', -1, [0x3c, 0x7c])], true],
    ['a part of a character without bytes', [token('\uFFFD', -1)], false],
    ['there is no token', [], false],
  ] as const)('knows whether the end token is counted when %s', (_, tokens, counted) => {
    const completion = toCompletion(choice({ tokens: [...tokens] }), context);
    expect(completion.logprob?.eosCounted).toBe(counted);
    const cut = toCompletion(choice({ tokens: [...tokens], stop: 'length' }), context);
    expect(cut.logprob?.eosCounted).toBe(false);
  });
});

describe('readReply', () => {
  const read = (json: unknown) => readReply(json) as { reply: { choices: Choice[] } } & { problem: string };

  it('reads both routes and knows why the response ended', () => {
    const stops = [
      { finish_reason: 'stop' },
      { finish_reason: 'length' },
      { finish_reason: 'stop', stop_reason: '\n\n' },
      { finish_reason: 'stop', stop_reason: 151645, matched_stop: 151645 },
      { finish_reason: 'stop', matched_stop: '###' },
      { finish_reason: 'content_filter' },
      {},
    ];
    const { reply } = read({ choices: stops.map((stop, index) => ({ index, text: 't', ...stop })) });
    expect(reply.choices.map(({ stop }) => stop)).toEqual([
      'eos',
      'length',
      'stop-string',
      'eos',
      'stop-string',
      'unknown',
      'unknown',
    ]);
    expect(read({ choices: [{ message: { content: 'hi' } }] }).reply.choices[0].text).toBe('hi');
    expect(read({ choices: [{ message: { content: null } }] }).reply.choices[0].text).toBe('');
  });

  it('takes the first of choices with the same index, in the order of the index', () => {
    const choices = [
      { index: 1, text: 'b' },
      { index: 0, text: 'a' },
      { index: 1, text: 'again' },
    ];
    expect(read({ choices }).reply.choices.map(({ text }) => text)).toEqual(['a', 'b']);
  });

  it.each([
    [{}, /choices/],
    [{ choices: [] }, /choices/],
    [{ choices: [{}] }, /neither a text nor a message/],
    [{ choices: [{ text: 3 }] }, /choices.0.text/],
    [null, /reply/],
    [{ error: { message: 'overloaded' } }, /choices/],
  ])('says what is wrong with %j', (json, message) => {
    expect(read(json).problem).toMatch(message);
  });
});
