import { TextStream, type TextTokenizer } from '../tokenizer/text-tokenizer.js';

/**
 * Watches the text of one response while it is drawn, and notices a stop string however many tokens it spans. A
 * character whose bytes are spread over tokens counts when it is complete.
 */
export class StopWatch {
  private readonly stream: TextStream;
  private readonly longest: number;
  /** As much of the end of the text as the beginning of a stop string may be in. */
  private tail = '';

  constructor(
    tokenizer: TextTokenizer,
    private readonly stops: readonly string[],
  ) {
    this.stream = new TextStream(tokenizer);
    this.longest = Math.max(...stops.map(({ length }) => length));
  }

  /** Takes the next token; whether a stop string is complete with it. */
  push(token: number): boolean {
    const text = this.tail + this.stream.push(token);
    if (this.stops.some((stop) => stop !== '' && text.includes(stop))) return true;
    this.tail = text.slice(Math.max(0, text.length - this.longest + 1));
    return false;
  }
}

/** A response up to the first stop string in it. */
export function cutAtStop(response: string, stops: readonly string[]): string {
  const starts = stops.map((stop) => (stop === '' ? -1 : response.indexOf(stop))).filter((start) => start >= 0);
  return starts.length > 0 ? response.slice(0, Math.min(...starts)) : response;
}
