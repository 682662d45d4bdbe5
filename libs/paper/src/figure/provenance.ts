import { configHash, type Json } from '@capo/samples';
import { type FigureSpec, panelsOf } from './figure-spec.js';

/** Where a figure comes from; stands inside every file. No time: the same input gives the same bytes. */
export interface FigureProvenance {
  /** The command that makes the figure again. */
  command: string;
  /** The SHA-256 of each file that the numbers come from, by name. */
  inputs?: Readonly<Record<string, string>>;
  /** Seed, bins, resamples: what else the figure depends on. */
  parameters?: Readonly<Record<string, Json>>;
}

/** The provenance as one line of JSON in ASCII, with the hash of what is drawn. */
export function provenanceText(spec: FigureSpec, { command, inputs = {}, parameters = {} }: FigureProvenance): string {
  const document = JSON.stringify({ creator: 'capo', figure: configHash(spec), command, inputs, parameters });
  return document.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What the figure shows in one sentence, for readers of the file who do not see it. */
export function figureDescription(spec: FigureSpec): string {
  const { title } = spec;
  const described = panelsOf(spec).map(({ title: name, x, y, series }) => {
    const labels = [...new Set(series.map(({ label }) => label))].join(', ');
    return `${name ? `${name}: ` : ''}${y.title} against ${x.title} (${labels})`;
  });
  return `${title ? `${title}. ` : ''}${described.join('; ')}.`;
}
