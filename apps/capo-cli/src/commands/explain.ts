import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean, InputError } from '@capo/samples';
import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../base-command.js';
import { methodPagesFolder } from '../shipped-files.js';

/** The page of the options that all methods share; not a method. */
const SHARED = 'options';

/** What is printed unless the whole page is asked for. */
const SECTIONS = ['Formula', 'Example', 'Deviations and choices'];

export default class Explain extends BaseCommand {
  static override summary = "A method's formula, a worked example in numbers, and how it deviates from its source.";

  static override description =
    `Prints from the method's page in docs/methods, whose example is checked against the code.
Without a method, lists them. "options" is the page of the options that all methods share.`;

  static override examples = [
    '<%= config.bin %> explain',
    '<%= config.bin %> explain capo',
    '<%= config.bin %> explain gspo --all',
    '<%= config.bin %> explain simko --json',
  ];

  static override args = { method: Args.string({ description: 'capo, grpo, gspo, ...; without it, all are listed' }) };

  static override flags = { all: Flags.boolean({ description: 'the whole page, options and metrics included' }) };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(Explain);
    const folder = methodPagesFolder();
    const names = readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => name.slice(0, -3))
      .sort();
    const read = (name: string) => readFileSync(join(folder, `${name}.md`), 'utf8');
    if (args.method === undefined) {
      const methods = names
        .filter((name) => name !== SHARED)
        .map((name) => ({ name, summary: sectionsOf(read(name)).intro.split('`')[0].replace(/\s+/g, ' ').trim() }));
      for (const { name, summary } of methods) this.log(`${name.padEnd(8)} ${summary}`);
      return { methods };
    }
    const method = args.method.toLowerCase();
    if (!names.includes(method)) {
      throw new InputError(`There is no method "${args.method}".`, didYouMean(args.method, names));
    }
    const page = read(method);
    const { title, intro, sections } = sectionsOf(page);
    if (flags.all || method === SHARED) {
      this.log(page.trimEnd());
    } else {
      this.log(`# ${title}\n\n${intro}`);
      for (const name of SECTIONS) this.log(`\n## ${name}\n\n${sections[name]}`);
    }
    return { method, title, intro, sections };
  }
}

/** A page by its headings. */
function sectionsOf(page: string): { title: string; intro: string; sections: Record<string, string> } {
  const [head, ...rest] = page.split(/^## /m);
  const [title, ...intro] = head.replace(/^# /, '').split('\n');
  const sections = rest.map((part) => {
    const [name, ...body] = part.split('\n');
    return [name.trim(), body.join('\n').trim()] as const;
  });
  return { title, intro: intro.join('\n').trim(), sections: Object.fromEntries(sections) };
}
