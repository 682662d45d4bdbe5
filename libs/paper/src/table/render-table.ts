import Papa from 'papaparse';
import type { Table } from './table.js';

/** The table for a terminal: columns aligned with spaces. */
export function renderText({ title, header, rows, notes }: Table): string {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column].length)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join('  ');
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [title, line(header), rule, ...rows.map(line), ...notes.map((note) => `  ${note}`), ''].join('\n');
}

/** The table in Markdown. */
export function renderMarkdown({ title, header, rows, notes }: Table): string {
  const line = (row: readonly string[]) => `| ${row.map(escapeMarkdown).join(' | ')} |`;
  const rule = `| ${header.map((_, column) => (column === 0 ? '---' : '---:')).join(' | ')} |`;
  const below = notes.length ? ['', ...notes.map((note) => `- ${note}`)] : [];
  return [`**${title}**`, '', line(header), rule, ...rows.map(line), ...below, ''].join('\n');
}

function escapeMarkdown(cell: string): string {
  return cell.replace(/([\\|])/g, '\\$1').replace(/\r?\n/g, '<br>');
}

/** The table in LaTeX, for the booktabs package; the title becomes the caption. */
export function renderLatex({ title, header, rows, notes }: Table): string {
  const line = (row: readonly string[]) => `    ${row.map(escapeLatex).join(' & ')} \\\\`;
  return [
    '\\begin{table}',
    '  \\centering',
    `  \\caption{${escapeLatex(title)}}`,
    `  \\begin{tabular}{l${'r'.repeat(header.length - 1)}}`,
    '    \\toprule',
    line(header),
    '    \\midrule',
    ...rows.map(line),
    '    \\bottomrule',
    '  \\end{tabular}',
    ...notes.map((note) => `  \\par\\footnotesize ${escapeLatex(note)}`),
    '\\end{table}',
    '',
  ].join('\n');
}

const LATEX_CHARACTERS: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
};

function escapeLatex(text: string): string {
  return text
    .replace(/[\\~^<>&%$#_{}]/g, (character) => LATEX_CHARACTERS[character] ?? `\\${character}`)
    .replace(/\s*[\r\n]+\s*/g, ' ');
}

/** Records as CSV (RFC 4180, no byte order mark). The columns are the keys of the first record. */
export function renderCsv(records: readonly Record<string, string | number | null>[]): string {
  return `${Papa.unparse([...records], { newline: '\r\n' })}\r\n`;
}
