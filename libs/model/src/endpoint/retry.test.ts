import { InputError } from '@capo/samples';
import { describe, expect, it } from 'vitest';
import { endpointAddress } from './endpoint-address.js';
import { backOff, judge, retryAfter } from './retry.js';
import { judgeTemperature } from './temperature-finding.js';

const answer = (status: number, body: unknown = {}, headers: Record<string, string> = {}) =>
  judge({ kind: 'answer', status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }, 0);

describe('judge', () => {
  it('retries what may pass: broken connections, timeouts, busy and failing servers', () => {
    expect(judge({ kind: 'failure', reason: 'x' })).toMatchObject({ kind: 'retry', busy: false });
    for (const status of [408, 409, 425, 500, 502, 504, 529]) expect(answer(status).kind).toBe('retry');
    expect(answer(429, {}, { 'retry-after': '7' })).toMatchObject({ kind: 'retry', busy: true, waitMs: 7000 });
    expect(answer(503)).toMatchObject({ kind: 'retry', busy: true, waitMs: null });
  });

  it('gives up on one request or on all', () => {
    expect(answer(400, { error: { message: 'maximum context length is 4096' } })).toMatchObject({
      kind: 'reject',
      reason: 'status 400: maximum context length is 4096',
    });
    expect(answer(422, { detail: [{ msg: 'bad' }] }).kind).toBe('reject');
    for (const status of [401, 403, 404, 301]) expect(answer(status).kind).toBe('fatal');
    expect(answer(200)).toEqual({ kind: 'done', body: '{}' });
  });

  it('tells a quota that is used up from a busy moment', () => {
    const quota = { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } };
    expect(answer(429, quota)).toMatchObject({ kind: 'fatal', reason: expect.stringMatching(/quota is used up/) });
    expect(answer(429, {}, { 'retry-after': '43200' })).toMatchObject({
      kind: 'fatal',
      reason: expect.stringMatching(/asks to wait 720 minutes/),
      remedy: expect.stringMatching(/run the same command again later/),
    });
    expect(answer(429, { error: { message: 'Rate limit reached, try again in 2s' } }).kind).toBe('retry');
  });

  it('shortens the page of a proxy to its words', () => {
    const page = `<html><body><h1>502 Bad\n Gateway</h1>${'x'.repeat(1000)}</body></html>`;
    const { reason } = answer(502, page) as { reason: string };
    expect(reason).toMatch(/^status 502: 502 Bad Gateway x+$/);
    expect(reason.length).toBeLessThan(320);
  });
});

describe('waiting', () => {
  it('reads Retry-After as seconds or as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfter('1.5', now)).toBe(1500);
    expect(retryAfter('Thu, 01 Jan 2026 00:00:30 GMT', now)).toBe(30_000);
    expect(retryAfter('Thu, 01 Jan 2025 00:00:00 GMT', now)).toBe(0);
    for (const header of [undefined, '', 'soon']) expect(retryAfter(header, now)).toBeNull();
  });

  it('doubles from half a second to a minute, between half and all of it', () => {
    expect([1, 2, 3, 7, 8, 20].map((n) => backOff(n, () => 1))).toEqual([500, 1000, 2000, 32_000, 60_000, 60_000]);
    expect(backOff(1, () => 0)).toBe(250);
  });
});

describe('judgeTemperature', () => {
  // softmax(z) with z = ln(0.6, 0.3, 0.1); at temperature 0.5 the probabilities are 0.36, 0.09, 0.01 divided by 0.46.
  const atOne = new Map([
    ['a', Math.log(0.6)],
    ['b', Math.log(0.3)],
    ['c', Math.log(0.1)],
  ]);
  const atHalf = new Map([
    ['a', Math.log(0.36 / 0.46)],
    ['b', Math.log(0.09 / 0.46)],
    ['c', Math.log(0.01 / 0.46)],
  ]);

  it('finds raw where nothing changes and processed where differences are divided by the temperature', () => {
    expect(judgeTemperature(atOne, atOne, 0.5).kind).toBe('raw');
    expect(judgeTemperature(atOne, atHalf, 0.5)).toEqual({
      kind: 'processed',
      // ln 6 = 1.79, ln 36 = 3.58
      evidence: 'two tokens differ by 1.79 at temperature 1 and by 3.58 at 0.5',
    });
  });

  it('stands the noise of half precision', () => {
    const noisy = (map: Map<string, number>) =>
      new Map([...map].map(([token, value], i) => [token, value + 0.02 * (i - 1)]));
    expect(judgeTemperature(atOne, noisy(atOne), 0.5).kind).toBe('raw');
    expect(judgeTemperature(atOne, noisy(atHalf), 0.5).kind).toBe('processed');
  });

  it('does with one token, unless it is certain', () => {
    const one = (value: number) => new Map([['a', value]]);
    expect(judgeTemperature(one(-0.51), one(-0.51), 0.5).kind).toBe('raw');
    expect(judgeTemperature(one(-0.51), one(-0.24), 0.5).kind).toBe('processed');
    expect(judgeTemperature(one(-0.001), one(0), 0.5)).toMatchObject({
      kind: 'unknown',
      evidence: 'every token was certain',
    });
  });

  it('tells raw from processed at temperature 0, where one token is certain', () => {
    expect(judgeTemperature(atOne, atOne, 0).kind).toBe('raw');
    expect(judgeTemperature(atOne, new Map([['a', 0]]), 0).kind).toBe('processed');
  });

  it('says that it cannot tell', () => {
    expect(judgeTemperature(atOne, new Map([['z', -1]]), 0.5).kind).toBe('unknown');
    const neither = new Map([
      ['a', -0.1],
      ['c', -12],
    ]);
    expect(judgeTemperature(atOne, neither, 0.5).kind).toBe('unknown');
  });
});

describe('endpointAddress', () => {
  it.each([
    ['http://localhost:8000', 'http://localhost:8000/v1/'],
    ['localhost:11434', 'http://localhost:11434/v1/'],
    ['https://host/v1', 'https://host/v1/'],
    ['https://host/api/v1/', 'https://host/api/v1/'],
    ['http://host/v1/chat/completions', 'http://host/v1/'],
    ['http://host/v1/completions', 'http://host/v1/'],
  ])('makes %s to %s', (text, address) => {
    expect(endpointAddress(text).href).toBe(address);
  });

  it('refuses what is no http address and what would put a secret into the manifest', () => {
    for (const text of ['', 'ftp://host', 'http://user:secret@host/v1', 'http://host/v1?key=secret', 'http://']) {
      expect(() => endpointAddress(text)).toThrow(InputError);
    }
    expect(() => endpointAddress('http://user:secret@host/v1')).not.toThrow(/secret/);
  });
});
