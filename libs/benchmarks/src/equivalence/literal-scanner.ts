import type { Expression } from './expression.js';
import { LimitError } from './limits.js';
import { compare, fromDecimal, ONE, rational } from './rational.js';
import { ParseError, Scanner } from './scanner.js';

/** `2 5/3`: what looks like a mixed number has no proper fraction. It is no answer, and its first number is none either. */
export class MixedNumberError extends ParseError {}

const NUMBER = /(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][-+]?\d+(?![\d.a-zA-Z]))?/y;
const MIXED = /\s*\\frac\s*(?:\{\s*(\d+)\s*\}|(\d))\s*(?:\{\s*(\d+)\s*\}|(\d))|\s+(\d+)\s*\/\s*(\d+)(?![\d.])/y;

/** Reads numbers in all their notations: decimals, mixed and repeating ones, digits in another base. */
export class LiteralScanner extends Scanner {
  /** A number as it stands in the text, with everything that belongs to it. */
  protected literal(): Expression {
    const match = this.match(NUMBER);
    if (!match) throw new ParseError('a point without digits');
    const whole = match[0];
    if (/^\d+$/.test(whole)) {
      const mixed = this.mixed(whole);
      if (mixed) return mixed;
      const base = this.match(/\s*_\s*(?:\{\s*\(?(\w+)\)?\s*\}|(\d+|[a-z]))/y);
      if (base) return this.inBase(whole, base[1] ?? base[2]);
    }
    return (whole.length <= 100 && /^\d+\.\d*$/.test(whole) && this.repeating(whole)) || this.number(whole);
  }

  private inBase(digits: string, base: string): Expression {
    const value: Expression = /^\d+$/.test(base) ? this.number(base) : { kind: 'symbol', name: base };
    return this.node({ kind: 'call', name: 'base', args: [this.number(digits), value] });
  }

  /** `0.1\overline{6}`: the digits under the line repeat for ever. */
  private repeating(digits: string): Expression | undefined {
    const match = this.match(/\s*\\(?:overline|bar|dot)\s*(?:\{\s*(\d{1,100})\s*\}|(\d))/y);
    if (!match) return undefined;
    const period = match[1] ?? match[2];
    const places = BigInt(digits.length - digits.indexOf('.') - 1);
    const nines = 10n ** BigInt(period.length) - 1n;
    const start = BigInt(digits.replace('.', ''));
    const value = rational(start * nines + BigInt(period), nines * 10n ** places);
    if (!value) throw new LimitError('bits');
    return this.node({ kind: 'number', value });
  }

  private mixed(whole: string): Expression | undefined {
    const match = this.match(MIXED);
    if (!match) return undefined;
    const [n, d] = [match[1] ?? match[2] ?? match[5], match[3] ?? match[4] ?? match[6]];
    const fraction = rational(BigInt(n), BigInt(d));
    if (!fraction || compare(fraction, ONE) >= 0)
      throw new MixedNumberError('a mixed number without a proper fraction');
    const value = rational(BigInt(whole) * fraction.d + fraction.n, fraction.d);
    if (!value) throw new LimitError('bits');
    return this.node({ kind: 'number', value });
  }

  /** The number that digits are, which keeps how many places were written. */
  protected number(digits: string): Expression {
    const value = fromDecimal(digits);
    if (!value) throw new LimitError('bits');
    const point = /\.(\d*)/.exec(digits);
    const exponent = /[eE]([-+]?\d+)/.exec(digits);
    if (!point && !exponent) return this.node({ kind: 'number', value });
    return this.node({ kind: 'number', value, places: (point?.[1].length ?? 0) - Number(exponent?.[1] ?? 0) });
  }
}
