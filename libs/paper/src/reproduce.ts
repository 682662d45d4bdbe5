import { basename, dirname, join } from 'node:path';
import { configHash, didYouMean, InputError, toJsonDocument, writeFileAtomic } from '@capo/samples';
import { fileHashes } from './evaluate/file-hashes.js';
import type { FigureProvenance } from './figure/provenance.js';
import { FIGURE_FORMATS, renderFigure } from './figure/render-figure.js';
import { baseJobOf, type Job, openJobFolder } from './pipeline/job.js';
import { TOY_METHODS, type ToyMethod, type ToyProtocol, trainConfigOf } from './pipeline/protocol.js';
import { type RunJobsOptions, runJobs } from './pipeline/run-jobs.js';
import { TOY_METRICS, type ToyMetric } from './report/toy-cells.js';
import { type ToyReport, toyRecords, toyReport, toyTable, toyTrainingCurves } from './report/toy-report.js';
import { BASE_METHOD, readToyRun } from './report/toy-results.js';
import { renderCsv, renderMarkdown } from './table/render-table.js';
import type { Table } from './table/table.js';

/** What can be reproduced, and the metric that its table shows first. */
export const REPRODUCE_ITEMS: Record<string, { metric: ToyMetric; what: string }> = {
  table1: { metric: 'accuracy', what: 'accuracy, methods by suites' },
  table2: { metric: 'auc', what: 'calibration (AUC), methods by suites' },
};

export interface ReproduceOptions extends RunJobsOptions {
  item: string;
  protocol: ToyProtocol;
  methods: readonly ToyMethod[];
  seeds: readonly number[];
  /** Where run folders are kept. */
  runs: string;
  /** Where tables and figures are written. */
  out: string;
}

export interface Reproduction {
  report: ToyReport;
  /** The item's own table first. */
  tables: Table[];
  /** The files that were written. */
  files: string[];
}

/**
 * Reproduces an item at toy scale: trains what is not trained yet, puts the numbers together, and writes tables
 * (Markdown, CSV, JSON) and the training curves (SVG, PDF, PNG).
 */
export async function reproduce(options: ReproduceOptions): Promise<Reproduction> {
  const item = REPRODUCE_ITEMS[options.item];
  if (!item) {
    throw new InputError(
      `There is no item "${options.item}".`,
      didYouMean(options.item, [...Object.keys(REPRODUCE_ITEMS), 'theory']),
    );
  }
  const jobs = options.seeds.flatMap((seed) =>
    options.methods.map((method) => ({
      method,
      job: { kind: 'train', root: options.runs, seed, config: trainConfigOf(options.protocol, method) } as const,
    })),
  );
  await runJobs(
    jobs.map(({ job }): Job => job),
    options,
  );
  const withSamples = options.seeds.length === 1;
  const bases = jobs.filter(({ method }) => method === options.methods[0]).map(({ job }) => baseJobOf(job));
  const runs = await Promise.all([
    ...bases.map((job) => readToyRun(job, BASE_METHOD, withSamples)),
    ...jobs.map(({ job, method }) => readToyRun(job, method, withSamples)),
  ]);
  const report = toyReport(runs);
  const metrics = [item.metric, ...TOY_METRICS.filter((metric) => metric !== item.metric)];
  const tables = metrics.map((metric) => toyTable(report, metric));

  const provenance = await provenanceOf(
    options,
    jobs.map(({ job }) => job),
  );
  const file = (extension: string) => join(options.out, `${options.item}-toy.${extension}`);
  const figure = (extension: string) => join(options.out, `${options.item}-toy-curves.${extension}`);
  const manifests = jobs.map(({ job }) => openJobFolder(job).manifest);
  const written: [string, string | Uint8Array][] = [
    [file('md'), tables.map(renderMarkdown).join('\n')],
    [file('csv'), renderCsv(toyRecords(report))],
    [file('json'), toJsonDocument({ report, manifests })],
    ...FIGURE_FORMATS.map((format): [string, Uint8Array] => [
      figure(format),
      renderFigure(toyTrainingCurves(runs), format, provenance),
    ]),
  ];
  for (const [path, data] of written) writeFileAtomic(path, data);
  return { report, tables, files: written.map(([path]) => path) };
}

/** Where the numbers come from: the logs of the runs, and the command that makes them again. */
async function provenanceOf(
  { item, protocol, methods, seeds }: ReproduceOptions,
  jobs: readonly Job[],
): Promise<FigureProvenance> {
  const logs = jobs.map((job) => openJobFolder(job)).map((folder) => folder.file('evaluations.jsonl'));
  const hashes = Object.values(await fileHashes(logs));
  return {
    command: `capo reproduce ${item} --scale toy --seed ${seeds[0]} --seeds ${seeds.length} --methods ${methods.join(',')}`,
    inputs: Object.fromEntries(logs.map((path, i) => [`${basename(dirname(path))}/${basename(path)}`, hashes[i]])),
    parameters: { scale: 'toy', seeds: [...seeds], methods: [...methods], protocol: configHash(protocol) },
  };
}

/** The toy methods of those names. @throws InputError for an unknown or repeated name */
export function selectMethods(names: readonly string[]): ToyMethod[] {
  const known = Object.keys(TOY_METHODS);
  names.forEach((name, i) => {
    if (!known.includes(name)) throw new InputError(`There is no method "${name}".`, didYouMean(name, known));
    if (names.indexOf(name) !== i) throw new InputError(`The method "${name}" is named twice.`);
  });
  return names as ToyMethod[];
}
