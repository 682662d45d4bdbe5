import { describe, expect, it } from 'vitest';
import { parseLenientJson } from './lenient-json.js';
import { readTokenLogprobs } from './token-logprobs.js';

const tokens = (choice: object, reply: object = {}) =>
  readTokenLogprobs(choice as Record<string, unknown>, reply as Record<string, unknown>);
const pairs = (choice: object, reply: object = {}) =>
  tokens(choice, reply)?.map(({ token, logprob }) => [token, logprob]);

describe('readTokenLogprobs', () => {
  it('reads chat replies of OpenAI, vLLM, SGLang, newer llama.cpp servers and Ollama', () => {
    const content = [
      {
        token: 'Hi',
        logprob: -0.25,
        bytes: [72, 105],
        top_logprobs: [
          { token: 'Hi', logprob: -0.25, bytes: [72, 105] },
          { token: 'Hello', logprob: -1.5, bytes: null },
        ],
      },
      { id: 198, token: '!', bytes: [33], logprob: -2, top_logprobs: [] },
    ];
    expect(tokens({ logprobs: { content } })).toEqual([
      {
        token: 'Hi',
        logprob: -0.25,
        bytes: [72, 105],
        alternatives: new Map([
          ['Hi', -0.25],
          ['Hello', -1.5],
        ]),
      },
      { token: '!', logprob: -2, bytes: [33], alternatives: new Map() },
    ]);
  });

  it('reads completions of OpenAI, vLLM and SGLang', () => {
    const logprobs = {
      text_offset: [0, 3],
      tokens: [' a', ' b'],
      token_logprobs: [null, -0.5],
      top_logprobs: [null, { ' b': -0.5, ' c': -1 }],
    };
    expect(pairs({ logprobs })).toEqual([
      [' a', null],
      [' b', -0.5],
    ]);
    expect(tokens({ logprobs })?.[1].alternatives).toEqual(
      new Map([
        [' b', -0.5],
        [' c', -1],
      ]),
    );
    expect(pairs({ logprobs: { ...logprobs, top_logprobs: null } })).toEqual([
      [' a', null],
      [' b', -0.5],
    ]);
  });

  it('reads both shapes of llama.cpp servers, in the choice or in the reply', () => {
    const old = [
      {
        content: ' x',
        probs: [
          { tok_str: ' y', prob: 0.75 },
          { tok_str: ' x', prob: 0.25 },
        ],
      },
    ];
    // ln 0.25 = -1.386294, ln 0.75 = -0.287682
    expect(tokens({ text: ' x' }, { completion_probabilities: old })?.[0].logprob).toBeCloseTo(-1.386294, 6);
    expect(tokens({ completion_probabilities: old })?.[0].alternatives.get(' y')).toBeCloseTo(-0.287682, 6);
    const today = [{ id: 1, token: ' x', bytes: [32, 120], logprob: -1.25, top_logprobs: [] }];
    expect(pairs({ completion_probabilities: today })).toEqual([[' x', -1.25]]);
    const afterSampling = [{ token: ' x', bytes: [32, 120], prob: 0.5, top_probs: [{ token: ' y', prob: 0.5 }] }];
    expect(tokens({ completion_probabilities: afterSampling })?.[0].logprob).toBeCloseTo(Math.log(0.5), 12);
    const lost = [{ content: ' x', probs: [{ tok_str: ' y', prob: 1 }] }];
    expect(pairs({ completion_probabilities: lost })).toEqual([[' x', null]]);
  });

  it('reads the own shapes of Ollama and SGLang', () => {
    expect(pairs({}, { logprobs: [{ token: 'a', logprob: -1 }] })).toEqual([['a', -1]]);
    const meta_info = {
      output_token_logprobs: [
        [-0.5, 42, 'a'],
        [-0.25, 7, null],
      ],
    };
    expect(pairs({ meta_info })).toEqual([
      ['a', -0.5],
      ['', -0.25],
    ]);
  });

  it('says null for a reply without any', () => {
    for (const choice of [{}, { logprobs: null }, { logprobs: {} }, { logprobs: { content: null } }]) {
      expect(tokens(choice)).toBeNull();
    }
  });

  it('takes what cannot be the log-probability of a drawn token for missing', () => {
    const impossible = [-9999, -10000, null, 'x', 0.5, Number.NEGATIVE_INFINITY, Number.NaN, undefined];
    const content = impossible.map((logprob) => ({ token: 'a', logprob }));
    expect(pairs({ logprobs: { content } })).toEqual(impossible.map(() => ['a', null]));
    expect(pairs({ logprobs: { content: [{ token: 'a', logprob: 1e-7 }] } })).toEqual([['a', 0]]);
    expect(pairs({ logprobs: { content: [null, 3, 'x'] } })).toEqual([
      ['', null],
      ['', null],
      ['', null],
    ]);
  });
});

describe('parseLenientJson', () => {
  it('reads the numbers that Python writes and JSON does not have as null', () => {
    expect(parseLenientJson('{"a": [-Infinity, NaN, 1.5, Infinity]}')).toEqual({ a: [null, null, 1.5, null] });
  });

  it('leaves the same words inside of strings alone', () => {
    expect(parseLenientJson('{"NaN": "-Infinity \\" NaN", "b": NaN}')).toEqual({ NaN: '-Infinity " NaN', b: null });
  });

  it('refuses what is cut off', () => {
    expect(() => parseLenientJson('{"a": [NaN, 1')).toThrow(SyntaxError);
    expect(() => parseLenientJson('<html>')).toThrow(SyntaxError);
  });
});
