import type { Attempt } from './http-json.js';

/** What to do after an attempt. */
export type Outcome =
  | { kind: 'done'; body: string }
  /** Worth another attempt, not before `waitMs` when the server says so; `busy` when others should hold back too. */
  | { kind: 'retry'; reason: string; waitMs: number | null; busy: boolean }
  /** This one request cannot succeed, for instance because its prompt is too long. */
  | { kind: 'reject'; reason: string }
  /** No request can succeed: a wrong key or name, or a quota that is used up. */
  | { kind: 'fatal'; reason: string; remedy: string };

/** A server that asks for more patience than this has a quota for the day, not a busy moment. */
const LONGEST_WAIT_MS = 10 * 60_000;

const AGAIN_LATER = 'What is finished is kept; run the same command again later and it goes on from there.';

/** Judges one attempt by its status and the server's words. */
export function judge(attempt: Attempt, now: number = Date.now()): Outcome {
  if (attempt.kind === 'failure') return { kind: 'retry', reason: attempt.reason, waitMs: null, busy: false };
  const { status, body } = attempt;
  if (status >= 200 && status < 300) return { kind: 'done', body };
  const message = errorMessage(body);
  const reason = `status ${status}${message ? `: ${message}` : ''}`;
  if (status === 429 || status === 503) {
    const waitMs = retryAfter(attempt.headers['retry-after'], now);
    const usedUp = /insufficient_quota|exceeded your current quota|daily limit|per day|billing/i.test(body);
    if (usedUp || (waitMs !== null && waitMs > LONGEST_WAIT_MS)) {
      const patience = waitMs === null ? '' : ` (it asks to wait ${Math.ceil(waitMs / 60_000)} minutes)`;
      return { kind: 'fatal', reason: `the quota is used up${patience}: ${reason}`, remedy: AGAIN_LATER };
    }
    return { kind: 'retry', reason, waitMs, busy: true };
  }
  if (status === 401 || status === 403) {
    return { kind: 'fatal', reason, remedy: 'Set the key of the server in the environment variable CAPO_API_KEY.' };
  }
  if (status === 404) {
    return { kind: 'fatal', reason, remedy: 'Check --endpoint (its path usually ends in /v1) and --model.' };
  }
  if (status === 408 || status === 409 || status === 425 || status >= 500) {
    return { kind: 'retry', reason, waitMs: retryAfter(attempt.headers['retry-after'], now), busy: false };
  }
  if (status >= 300 && status < 400) {
    const remedy = `Give the address that it leads to: ${attempt.headers.location ?? 'unknown'}.`;
    return { kind: 'fatal', reason: `${reason}, a redirection`, remedy };
  }
  return { kind: 'reject', reason };
}

/** `Retry-After` in milliseconds from now: a number of seconds or a date. Null when it is absent or says nothing. */
export function retryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/**
 * How long to wait before attempt `failures` + 1: half a second, doubled with each failure up to a minute, and between
 * half and all of that at random so that many clients do not come back at once.
 */
export function backOff(failures: number, random: () => number): number {
  const longest = Math.min(60_000, 500 * 2 ** (failures - 1));
  return longest * (0.5 + 0.5 * random());
}

/** The server's own words about an error, in one line of at most 300 characters. */
function errorMessage(body: string): string {
  let message: unknown = body;
  try {
    const { error, detail, message: own } = JSON.parse(body);
    message = error?.message ?? own ?? error ?? detail ?? body;
  } catch {
    // Not JSON, as from a proxy: the text itself has to do.
  }
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  return text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300);
}
