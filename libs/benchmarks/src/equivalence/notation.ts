import { restoreLostBackslashes } from '../extraction/lost-backslash.js';

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ';
const SUPERSCRIPT_PLAIN = '0123456789+-n';
const SUBSCRIPT = '₀₁₂₃₄₅₆₇₈₉';
const UNICODE: Readonly<Record<string, string>> = {
  '−': '-',
  '–': '-',
  '—': '-',
  '‐': '-',
  '×': '\\times ',
  '÷': '/',
  '·': '\\cdot ',
  '⋅': '\\cdot ',
  '∗': '*',
  '∙': '\\cdot ',
  '√': '\\sqrt ',
  '∛': '\\sqrt[3] ',
  π: '\\pi ',
  '∞': '\\infty ',
  '≤': '\\le ',
  '⩽': '\\le ',
  '≥': '\\ge ',
  '⩾': '\\ge ',
  '≠': '\\ne ',
  '≈': '\\approx ',
  '±': '\\pm ',
  '∓': '\\mp ',
  '∪': '\\cup ',
  '∩': '\\cap ',
  '∈': '\\in ',
  '∖': '\\setminus ',
  '∅': '\\emptyset ',
  ℝ: '\\mathbb{R} ',
  '°': '^\\circ ',
  º: '^\\circ ',
  '′': "'",
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '⟨': '\\langle ',
  '⟩': '\\rangle ',
  '½': '\\frac{1}{2}',
  '⅓': '\\frac{1}{3}',
  '⅔': '\\frac{2}{3}',
  '¼': '\\frac{1}{4}',
  '¾': '\\frac{3}{4}',
  '⅕': '\\frac{1}{5}',
  '⅛': '\\frac{1}{8}',
  '⁄': '/',
  '…': '\\ldots ',
  θ: '\\theta ',
  α: '\\alpha ',
  β: '\\beta ',
  γ: '\\gamma ',
  λ: '\\lambda ',
  μ: '\\mu ',
  σ: '\\sigma ',
  φ: '\\phi ',
  ω: '\\omega ',
  ρ: '\\rho ',
  Δ: '\\Delta ',
  Ω: '\\Omega ',
};
const UNICODE_PATTERN = new RegExp(`[${Object.keys(UNICODE).join('')}]`, 'g');

/** Characters with which LaTeX is written in another way, in the one way the parser reads. */
function plainCharacters(text: string): string {
  if (!/[^\x20-\x7e]/.test(text)) return text;
  return text
    .replace(
      new RegExp(`[${SUPERSCRIPT}]+`, 'g'),
      (run) => `^{${[...run].map((c) => SUPERSCRIPT_PLAIN[SUPERSCRIPT.indexOf(c)]).join('')}}`,
    )
    .replace(new RegExp(`[${SUBSCRIPT}]+`, 'g'), (run) => `_{${[...run].map((c) => SUBSCRIPT.indexOf(c)).join('')}}`)
    .replace(/√\s*(\d+(?:\.\d+)?)/g, '\\sqrt{$1}')
    .replace(UNICODE_PATTERN, (c) => UNICODE[c])
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ');
}

/** A style that says nothing about the value: its argument stays. */
const STYLE =
  /\\(?:mathrm|mathbf|mathit|mathsf|mathtt|mathnormal|boldsymbol|bm|bold|rm|operatorname\*?|ensuremath|displaystyle|textstyle|scriptstyle|limits|nolimits|big|Big|bigg|Bigg|bigl|bigr|Bigl|Bigr|biggl|biggr|Biggl|Biggr|middle|hline|angle|triangle|noindent|centering)(?![a-zA-Z])/g;
/** An upright word after a value is its unit; upright e, i and d are mathematics. */
const UPRIGHT_UNIT =
  /([\d})]\s*(?:\\[,;:! ]|~|\s)*)\\(?:mathrm|operatorname|rm)\s*\{((?:\\[,;:! ]|[~\s])*(?!(?:e|i|d|pi|mod|gcd|lcm|sin|cos|tan|log|ln|exp)\s*\})[a-zA-Z]{1,12}[~\s]*)\}/g;
const SYSTEM =
  /\\begin\s*\{(cases|aligned|align\*?|array|gathered|split)\}\s*(?:\{[lcr|\s]*\})?([\s\S]*?)\\end\s*\{\1\}/g;

/** A system of equations as a list of them; undefined when a row is none. */
function systemRows(rows: string): string | undefined {
  const parts = rows
    .split('\\\\')
    .map((row) => row.replace(/&/g, ' ').trim())
    .filter(Boolean);
  return parts.length > 0 && parts.every((row) => /[=<>]|\\[lg]e/.test(row)) ? parts.join(', ') : undefined;
}

/** White space, wide or narrow. A backslash before a line break is one too. */
const SPACE =
  /(?<!\\)\\(?:[,;:! ~]|q?quad|hspace\*?\{[^{}]*\}|enspace(?![a-zA-Z])|thinspace(?![a-zA-Z])|phantom\{[^{}]*\}|hfill(?![a-zA-Z])|newline(?![a-zA-Z]))|~|\s+/g;

/**
 * An answer in the one notation that the parser reads: Unicode as LaTeX, the variants of fractions and brackets as the
 * plain ones, delimiters, spacing commands, styles and currency signs gone, thousands separators that cannot be
 * anything else (`32,\!349`, `10{,}000`) joined. Nothing here changes what an answer says.
 *
 * @example
 * plainNotation('\\left(\\dfrac12,\\ 10{,}000\\right)$') // '(\\frac12, 10000)'
 */
export function plainNotation(answer: string): string {
  let text = plainCharacters(restoreLostBackslashes(answer));
  // Written for a JSON or Python string: every command has two backslashes, and a matrix would have four.
  if (/\\\\[a-zA-Z]/.test(text) && !/(?<!\\)\\[a-zA-Z]/.test(text)) text = text.replace(/\\\\/g, '\\');
  else if (!text.includes('\\begin'))
    text = text.replace(/\\\\(?=(?:[dt]?frac|sqrt|left|right|pi|cdot|times|text|boxed)(?![a-zA-Z]))/g, '\\');
  text = text
    .replace(SYSTEM, (whole: string, _name: string, rows: string) => systemRows(rows) ?? whole)
    .replace(/\\(?:p?mod|pod)\s*(?:\{[^{}]*\}|\d+)\s*$/, '')
    .replace(/\\(?:dots[cbmio]?|cdots|hdots)(?![a-zA-Z])|(?<!\.)\.\.\.(?!\.)/g, '\\ldots ')
    .replace(/\\overline\s*\{\s*([A-Z]{2,3})\s*\}/g, '$1')
    .replace(/\\(?:label|tag)\{[^{}]*\}/g, '')
    .replace(/\\\\\s*\[-?[\d.]+\s*(?:pt|em|ex|mm|cm)\]/g, '\\\\ ')
    .replace(/(?<!\\)\\[()[\]]/g, ' ')
    .replace(/(\d)\s*(?:,\\!\s*|\{,\}(?:\\!)?\s*|\\[,;: ]\s*)(?=\d{3}(?!\d))/g, '$1')
    .replace(/\\(?:left|right)(?:\s*\.|(?![a-zA-Z]))/g, '')
    .replace(/\\\$/g, ' \u00a4 ')
    .replace(/\$/g, ' \u00a4 ')
    .replace(/\\%/g, '%')
    .replace(/\\(?:dfrac|tfrac|cfrac|sfrac|nicefrac)(?![a-zA-Z])/g, '\\frac')
    .replace(/\\(?:dbinom|tbinom)(?![a-zA-Z])/g, '\\binom')
    .replace(/\\(?:leqslant|leqq|leq)(?![a-zA-Z])/g, '\\le')
    .replace(/\\(?:geqslant|geqq|geq)(?![a-zA-Z])/g, '\\ge')
    .replace(/\\neq(?![a-zA-Z])/g, '\\ne')
    .replace(/\\(?:lbrace|rbrace)(?![a-zA-Z])/g, (brace) => (brace === '\\lbrace' ? '\\{' : '\\}'))
    .replace(/\\(?:lbrack|rbrack)(?![a-zA-Z])/g, (bracket) => (bracket === '\\lbrack' ? '[' : ']'))
    .replace(/\\(?:lvert|rvert|vert|mid)(?![a-zA-Z])/g, '|')
    .replace(/\b(?:np|math|numpy|sympy)\.(?=[a-zA-Z])/g, '')
    .replace(/\\(?:degree|textdegree)(?![a-zA-Z])/g, '^\\circ')
    .replace(
      UPRIGHT_UNIT,
      (_whole, value: string, unit: string) => `${value} \\text{${unit.replace(/[~\s]+/g, ' ').trim()}}`,
    )
    .replace(STYLE, '')
    .replace(SPACE, ' ');
  return text.trim();
}

/** Marks a currency sign or a dollar sign that delimits a formula: either says nothing about the value. */
export const CURRENCY = /[\u00a4€£¥₹]/g;

/** A form for comparing as text: no spaces, delimiters, currency or closing punctuation. */
export function textForm(notation: string): string {
  return notation
    .replace(CURRENCY, '')
    .replace(/\\(?:text|mbox|textbf|textit|textrm|textnormal|texttt|textsf|emph|underline)\s*\{([^{}]*)\}/g, '$1')
    .replace(/\s+/g, '')
    .replace(/^\{([^{}]*)\}$/, '$1')
    .replace(/[.,;:!]+$/, '')
    .replace(
      /^(\d{1,2}(?::\d{2})?)([apAP])\.?[mM]$/,
      (_time, clock: string, half: string) => `${clock}${half.toLowerCase()}m`,
    );
}
