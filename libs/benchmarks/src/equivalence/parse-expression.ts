import { type Expression, integer, mapChildren, negative, quotient } from './expression.js';
import { LiteralScanner } from './literal-scanner.js';
import { determinant } from './matrix.js';
import { ACCENTS, FUNCTIONS, LETTERS, POWER_BEFORE_ARGUMENT, SEVERAL_ARGUMENTS } from './names.js';
import { ParseError } from './scanner.js';

/** A text may well be an expression, of a kind that is not read here. */
export class UnsupportedError extends ParseError {}

/**
 * The expression that a text in the plain notation is: LaTeX with or without braces around single arguments, and what
 * people type (`sqrt(2)`, `x^(2/3)`, `3*x**2`, `1e-7`).
 *
 * @throws {ParseError} naming what could not be read.
 * @throws {LimitError} for expressions beyond the limits.
 */
export function parseExpression(text: string): Expression {
  return new ExpressionParser(text).all();
}

const COMMAND = /\\([a-zA-Z]+)/y;
const WORD = /[a-zA-Z]+/y;
const GREEK_WORD = /^(?:alpha|beta|gamma|delta|theta|lambda|mu|sigma|phi|omega)$/;

/** The body of a series over i, in which i is not the imaginary unit. */
function bound(body: Expression, index: string): Expression {
  if (index !== 'i') return body;
  if (body.kind === 'constant' && body.name === 'i') return { kind: 'symbol', name: 'i' };
  return mapChildren(body, (part) => bound(part, index));
}

class ExpressionParser extends LiteralScanner {
  /** How many absolute-value bars are open, in which a bar closes. */
  private bars = 0;

  all(): Expression {
    const expression = this.sum();
    this.end();
    return expression;
  }

  private sum(): Expression {
    return this.nested(() => {
      const terms: Expression[] = [this.signedTerm()];
      for (let sign = this.sign(); sign; sign = this.sign()) terms.push(this.signed(sign, this.product()));
      const sum: Expression = terms.length === 1 ? terms[0] : this.node({ kind: 'sum', terms });
      // {n \choose k} has its two arguments around it.
      return this.takeCommand('choose') ? this.node({ kind: 'call', name: 'binomial', args: [sum, this.sum()] }) : sum;
    });
  }

  private signedTerm(): Expression {
    const sign = this.sign();
    return sign ? this.signed(sign, this.signedProduct()) : this.product();
  }

  /** After a sign another one may follow: `- -3`, `+\pm 2`. */
  private signedProduct(): Expression {
    const sign = this.sign();
    return sign
      ? this.signed(
          sign,
          this.nested(() => this.signedProduct()),
        )
      : this.product();
  }

  private sign(): '+' | '-' | 'pm' | 'mp' | undefined {
    this.space();
    for (const sign of ['+', '-'] as const) if (this.take(sign)) return sign;
    if (this.takeCommand('pm')) return 'pm';
    if (this.takeCommand('mp')) return 'mp';
    return undefined;
  }

  private signed(sign: '+' | '-' | 'pm' | 'mp', arg: Expression): Expression {
    if (sign === '+') return arg;
    if (sign === '-') return negative(arg);
    return this.node({ kind: 'plus-minus', sign: sign === 'pm' ? 1 : -1, arg });
  }

  private product(): Expression {
    let left = this.factor();
    let factors: Expression[] = [left];
    for (;;) {
      this.space();
      if (this.take('**')) throw new ParseError('a power without a base');
      if (this.takeAny(['*']) || this.takeCommand('cdot') || this.takeCommand('times') || this.takeCommand('ast')) {
        factors.push(this.signedFactor());
      } else if (this.takeAny(['/']) || this.takeCommand('div')) {
        left = factors.length === 1 ? factors[0] : this.node({ kind: 'product', factors });
        factors = [quotient(left, this.signedFactor())];
      } else if (this.startsFactor()) {
        if (/\d|\./.test(this.text[this.at]) && /[\d.]$/.test(this.text.slice(0, this.at).trimEnd())) {
          throw new ParseError('two numbers side by side');
        }
        factors.push(this.factor());
      } else break;
    }
    return factors.length === 1 ? factors[0] : this.node({ kind: 'product', factors });
  }

  private signedFactor(): Expression {
    const sign = this.sign();
    return sign ? this.signed(sign, this.factor()) : this.factor();
  }

  private startsFactor(): boolean {
    const c = this.text[this.at];
    if (c === undefined) return false;
    if (c === '|') return this.bars === 0;
    if (c === '\\')
      return !/^\\(?:\\|\}|rangle|rfloor|rceil|end(?![a-zA-Z])|pm|mp|cdot|times|div|ast|choose|right)/.test(
        this.text.slice(this.at, this.at + 9),
      );
    return /[\d.a-zA-Z({[]/.test(c);
  }

  /** A primary with its factorials, powers, subscripts, percent and degree signs. */
  private factor(): Expression {
    let value = this.primary();
    for (;;) {
      this.space();
      if (this.take('!')) {
        if (this.peek('=')) throw new ParseError('a comparison within an expression');
        value = this.node({ kind: 'call', name: 'factorial', args: [value] });
      } else if (this.take('%')) value = this.node({ kind: 'percent', arg: value });
      else if (this.take('**') || this.take('^')) {
        if (this.degreeSign()) value = this.node({ kind: 'degree', arg: value });
        else value = this.node({ kind: 'power', base: value, exponent: this.exponent() });
      } else return value;
    }
  }

  private degreeSign(): boolean {
    const match = this.match(/\s*(?:\{\s*\\circ\s*\}|\\circ(?![a-zA-Z]))(?:\s*[CF](?![a-zA-Z]))?/y);
    return match !== undefined;
  }

  private exponent(): Expression {
    this.space();
    const sign = this.sign();
    const value = this.text[this.at] === '{' || this.text[this.at] === '\\' ? this.argument() : this.bareExponent();
    return sign ? this.signed(sign, value) : value;
  }

  /** After `^` without braces: what people type takes the whole number, `x^10`; a letter takes itself. */
  private bareExponent(): Expression {
    const number = this.match(/\d+(?:\.\d+)?/y);
    if (number) return this.number(number[0]);
    return this.primary();
  }

  /** The argument of a command: a group in braces, a command with its own arguments, or one character. */
  private argument(): Expression {
    this.space();
    const c = this.text[this.at];
    if (c === undefined) throw new ParseError('an argument is missing');
    if (c === '{') return this.group('{', '}');
    if (/\d/.test(c)) {
      this.at++;
      return this.number(c);
    }
    if (c === '(' || c === '[') throw new ParseError('an argument in round brackets');
    if (/[a-zA-Z]/.test(c)) {
      this.at++;
      return this.letter(c);
    }
    return this.primary();
  }

  private group(open: string, close: string): Expression {
    this.expect(open);
    const bars = this.bars;
    this.bars = 0;
    const inner = this.sum();
    this.bars = bars;
    this.expect(close);
    return inner;
  }

  private primary(): Expression {
    this.space();
    const c = this.text[this.at];
    if (c === undefined) throw new ParseError('an operand is missing at the end');
    if (c === '(') return this.subscripted(this.group('(', ')'));
    if (c === '[') return this.group('[', ']');
    if (c === '{') return this.subscripted(this.group('{', '}'));
    if (c === '|') return this.absolute('|', '|');
    if (/[\d.]/.test(c)) return this.literal();
    if (c === '\\') return this.command();
    if (/[a-zA-Z]/.test(c)) return this.word();
    throw new ParseError(`unexpected ${JSON.stringify(c)}`);
  }

  private absolute(open: string, close: string): Expression {
    this.expect(open);
    const bars = this.bars;
    this.bars = bars + 1;
    const arg = this.sum();
    this.bars = bars;
    this.expect(close);
    return this.node({ kind: 'call', name: 'abs', args: [arg] });
  }

  private word(): Expression {
    const run = (this.match(WORD) as RegExpExecArray)[0];
    if (run in FUNCTIONS && run.length > 1) return this.functionCall(run, true);
    if (run === 'pi') return this.node({ kind: 'constant', name: 'pi' });
    if (/^(?:inf|infinity|infty|oo)$/.test(run)) return this.node({ kind: 'constant', name: 'infinity' });
    if (GREEK_WORD.test(run)) return this.letter(run);
    this.at -= run.length - 1;
    return this.letter(run[0]);
  }

  /** A letter with its primes, subscript and, for the usual names of functions, argument. */
  private letter(name: string): Expression {
    if ((name === 'i' || name === 'e') && !this.peek('_')) return this.node({ kind: 'constant', name });
    const inverse = /^[fgh]$/.test(name) && this.match(/\^\s*\{\s*-\s*1\s*\}(?=\s*\()/y);
    const primes = this.match(/'+|\^\s*(?:\{\s*(?:\\prime\s*)+\}|\\prime(?![a-zA-Z]))/y);
    const full = name + (inverse ? '^-1' : '') + (primes ? "'".repeat(primes[0].split(/prime|'/).length - 1) : '');
    const symbol = this.subscripted(this.node({ kind: 'symbol', name: full }));
    if (full === 'C' && this.match(/(?=\(\s*\d+\s*,\s*\d+\s*\))/y)) {
      this.expect('(');
      return this.node({ kind: 'call', name: 'binomial', args: this.list(')') });
    }
    if (!/^[fghFGH](?:\^-1)?'*$/.test(full) || !this.peek('(')) return symbol;
    this.expect('(');
    const args = [...(symbol.kind === 'call' ? symbol.args : []), ...this.list(')')];
    return this.node({ kind: 'call', name: `?${full}`, args });
  }

  /** An index is an argument: in a series `F_k` runs over the numbers of a sequence. */
  private subscripted(of: Expression): Expression {
    this.space();
    if (!this.take('_')) return of;
    this.space();
    // (1001)_2
    if (of.kind === 'number' && of.places === undefined) {
      return this.node({ kind: 'call', name: 'base', args: [of, this.indexArgument()] });
    }
    if (of.kind !== 'symbol') throw new ParseError('a subscript to something without a name');
    const label = this.match(/\{\s*\\?([a-zA-Z]{2,})\s*\}/y);
    const index: Expression = label ? { kind: 'symbol', name: label[1] } : this.indexArgument();
    return this.node({ kind: 'call', name: `?${of.name}_`, args: [index] });
  }

  private indexArgument(): Expression {
    const number = this.match(/\d+/y);
    if (number) return this.number(number[0]);
    if (this.text[this.at] !== '{') return this.argument();
    this.expect('{');
    const args = this.list('}');
    return args.length === 1 ? args[0] : this.node({ kind: 'call', name: '?index', args });
  }

  private list(close: string): Expression[] {
    const args = [this.sum()];
    for (this.space(); this.take(','); this.space()) args.push(this.sum());
    this.expect(close);
    return args;
  }

  private functionCall(word: string, isTyped = false): Expression {
    const name = FUNCTIONS[word];
    let exponent: Expression | undefined;
    let base: Expression | undefined;
    for (;;) {
      this.space();
      if (POWER_BEFORE_ARGUMENT.has(name) && !exponent && this.take('^')) exponent = this.exponent();
      else if (name === 'log' && !base && this.take('_'))
        base = this.text[this.at] === '{' ? this.argument() : this.indexArgument();
      else break;
    }
    this.space();
    let args: Expression[];
    if (this.peek('(') && SEVERAL_ARGUMENTS.has(name)) {
      this.expect('(');
      args = this.list(')');
    } else if (this.peek('(')) args = [this.group('(', ')')];
    else if (this.peek('{')) args = [this.group('{', '}')];
    else if (/^(?:sqrt|cbrt|abs)$/.test(name)) {
      // `sqrt26` is typed for the root of 26, while `\sqrt26` is the root of 2 times 6.
      args = [isTyped && /\d/.test(this.text[this.at] ?? '') ? this.literal() : this.argument()];
    } else args = [this.functionArgument()];
    if (base) args.push(base);
    // \sin^{-1} is the inverse function, not one over it.
    if (exponent?.kind === 'number' && exponent.value.n === -1n && /^(?:sin|cos|tan)$/.test(name)) {
      return this.node({ kind: 'call', name: `arc${name}`, args });
    }
    const call = this.node({ kind: 'call', name, args });
    return exponent ? this.node({ kind: 'power', base: call, exponent }) : call;
  }

  /** Without brackets a function takes the factors up to the next function, operator or sign: `\sin 2x`. */
  private functionArgument(): Expression {
    const sign = this.sign();
    const factors = this.nested(() => {
      const read = [this.factor()];
      for (this.space(); this.startsFactor() && !this.startsFunction(); this.space()) read.push(this.factor());
      return read;
    });
    const arg: Expression = factors.length === 1 ? factors[0] : this.node({ kind: 'product', factors });
    return sign ? this.signed(sign, arg) : arg;
  }

  private startsFunction(): boolean {
    const word = /^\\?([a-zA-Z]+)/.exec(this.text.slice(this.at, this.at + 20));
    return word !== null && word[1].length > 1 && word[1] in FUNCTIONS;
  }

  private command(): Expression {
    const match = this.match(COMMAND);
    if (!match) {
      if (this.text[this.at + 1] === '|') {
        this.at++;
        return this.absolute('|', '\\|');
      }
      throw new ParseError(`unexpected ${JSON.stringify(this.text.slice(this.at, this.at + 2))}`);
    }
    const name = match[1];
    switch (name) {
      case 'frac':
        return this.fraction();
      case 'sqrt':
        return this.squareRoot();
      case 'binom':
        return this.node({ kind: 'call', name: 'binomial', args: [this.argument(), this.argument()] });
      case 'pi':
        return this.node({ kind: 'constant', name: 'pi' });
      case 'infty':
      case 'infin':
        return this.node({ kind: 'constant', name: 'infinity' });
      case 'lfloor':
        return this.bracketed('floor', 'rfloor');
      case 'lceil':
        return this.bracketed('ceil', 'rceil');
      case 'sum':
        return this.series('sum');
      case 'prod':
        return this.series('product');
      case 'begin':
        return this.matrix();
      case 'imath':
        return this.node({ kind: 'constant', name: 'i' });
    }
    if (name in FUNCTIONS) return this.functionCall(name);
    if (LETTERS.has(name)) return this.letter(name);
    if (ACCENTS.has(name)) return this.accented(name);
    throw new UnsupportedError(`the command \\${name} is not known`);
  }

  private accented(accent: string): Expression {
    const name = this.match(/\s*\{\s*(\\?[a-zA-Z]{1,12})\s*\}|\s*([a-zA-Z])/y);
    if (!name) throw new ParseError(`\\${accent} over something that is no name`);
    return this.subscripted(this.node({ kind: 'symbol', name: `${accent}(${name[1] ?? name[2]})` }));
  }

  private fraction(): Expression {
    return this.node(this.nested(() => quotient(this.argument(), this.argument())));
  }

  private squareRoot(): Expression {
    this.space();
    let index: Expression = integer(2);
    if (this.take('[')) {
      index = this.sum();
      this.expect(']');
    }
    this.space();
    const base = this.nested(() => (this.peek('(') ? this.group('(', ')') : this.argument()));
    return this.node({ kind: 'power', base, exponent: quotient(integer(1), index) });
  }

  private bracketed(name: string, close: string): Expression {
    const arg = this.sum();
    this.space();
    if (!this.takeCommand(close)) throw new ParseError(`\\${close} is missing`);
    return this.node({ kind: 'call', name, args: [arg] });
  }

  private series(name: 'sum' | 'product'): Expression {
    let from: Expression | undefined;
    let to: Expression | undefined;
    let index: string | undefined;
    for (;;) {
      this.space();
      if (!from && this.take('_')) {
        this.space();
        this.expect('{');
        const letter = this.match(/\s*([a-zA-Z])\s*=/y);
        if (!letter) throw new ParseError('a series without an index');
        index = letter[1];
        from = this.sum();
        this.expect('}');
      } else if (!to && this.take('^')) to = this.exponent();
      else break;
    }
    if (!from || !to || index === undefined) throw new UnsupportedError('a series without its limits');
    return this.node({ kind: 'series', name, index, from, to, body: bound(this.product(), index) });
  }

  private matrix(): Expression {
    const name = this.match(/\s*\{\s*([a-zA-Z]+)\*?\s*\}/y)?.[1];
    if (!name || !/^(?:[pbvB]?matrix|smallmatrix|array)$/.test(name))
      throw new UnsupportedError(`the environment ${name} is no matrix`);
    if (name === 'array') this.match(/\s*(?:\[[a-z]\])?\s*\{[^{}]*\}/y);
    const rows: Expression[][] = [[]];
    for (;;) {
      this.space();
      if (this.match(/\\end\s*\{[^{}]*\}/y)) break;
      if (this.take('\\\\')) rows.push([]);
      else if (this.take('&')) continue;
      else rows[rows.length - 1].push(this.sum());
    }
    if (rows[rows.length - 1].length === 0) rows.pop();
    if (rows.length === 0 || rows.some((row) => row.length !== rows[0].length))
      throw new ParseError('a matrix with ragged rows');
    return name === 'vmatrix' ? this.node(determinant(rows)) : this.node({ kind: 'matrix', rows });
  }
}
