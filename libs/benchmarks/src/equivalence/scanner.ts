import type { Expression } from './expression.js';
import { LIMITS, LimitError } from './limits.js';

/** A text is no expression, for a reason that a person can read. */
export class ParseError extends Error {}

/** Reads a text from left to right and counts what it makes of it, so that no text can make too much. */
export class Scanner {
  protected at = 0;
  private depth = 0;
  private nodes = 0;

  constructor(protected readonly text: string) {}

  /** Runs a part of the reading one level deeper. */
  protected nested<T>(read: () => T): T {
    if (++this.depth > LIMITS.depth) throw new LimitError('depth');
    const value = read();
    this.depth--;
    return value;
  }

  /** Requires that all is read. */
  protected end(): void {
    this.space();
    if (this.at < this.text.length)
      throw new ParseError(`unexpected ${JSON.stringify(this.text.slice(this.at, this.at + 12))}`);
  }

  protected node(e: Expression): Expression {
    if (++this.nodes > LIMITS.nodes) throw new LimitError('nodes');
    return e;
  }

  protected space(): void {
    while (this.text[this.at] === ' ') this.at++;
  }

  protected peek(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  protected take(token: string): boolean {
    if (!this.peek(token)) return false;
    this.at += token.length;
    return true;
  }

  /** A one-character operator that is not doubled. */
  protected takeAny(tokens: readonly string[]): boolean {
    return tokens.some((token) => !this.peek(token + token) && this.take(token));
  }

  protected takeCommand(name: string): boolean {
    if (!this.peek(`\\${name}`) || /[a-zA-Z]/.test(this.text[this.at + name.length + 1] ?? '')) return false;
    this.at += name.length + 1;
    return true;
  }

  protected expect(token: string): void {
    this.space();
    if (!this.take(token)) throw new ParseError(`${JSON.stringify(token)} is missing`);
  }

  protected match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (!match) return undefined;
    this.at = pattern.lastIndex;
    return match;
  }
}
