import { join } from 'node:path';
import { useBackend } from '@capo/model';
import { loadWeights } from '@capo/rl-core';
import { configHash, toJsonDocument, writeFileAtomic } from '@capo/samples';
import { FIGURE_FORMATS, renderFigure } from '../figure/render-figure.js';
import { baseJobOf, openJobFolder } from '../pipeline/job.js';
import { TOY_METHODS, type ToyProtocol, trainConfigOf } from '../pipeline/protocol.js';
import { type RunJobsOptions, runJobs } from '../pipeline/run-jobs.js';
import { renderCsv, renderLatex, renderMarkdown } from '../table/render-table.js';
import type { Table } from '../table/table.js';
import { type Claim, claimsTable } from './claim.js';
import { gradientForms } from './gradient-forms.js';
import { inconsistency } from './inconsistency.js';
import { opposition } from './opposition.js';
import { regretBounds } from './regret-bound.js';
import { conditionsOfSurrogates } from './surrogate-conditions.js';
import { theoryFigure } from './theory-figure.js';

export interface TheoryOptions extends RunJobsOptions {
  /** Of the toy runs whose policies draw the groups of claim 5. */
  protocol: ToyProtocol;
  seed: number;
  /** Where run folders are kept. */
  runs: string;
  /** Where tables and the figure are written. */
  out: string;
  /** Random distributions of each check; default 5000. */
  distributions?: number;
  /** Prompts that groups are drawn for; default 256. */
  prompts?: number;
}

export interface TheoryReproduction {
  claims: Claim[];
  /** The claims first, then the numbers behind them. */
  tables: Table[];
  /** The files that were written. */
  files: string[];
}

/** The methods whose policies draw groups, beside the base model. */
const METHODS = ['grpo', 'capo'] as const;

/**
 * Checks every claim of the theory and writes what came out: tables (Markdown, LaTeX), claims (CSV), everything (JSON),
 * and a figure (SVG, PDF, PNG). Claim 5 needs policies: the toy runs are found again, or trained.
 */
export async function reproduceTheory(options: TheoryOptions): Promise<TheoryReproduction> {
  const { protocol, seed, runs, out, distributions = 5000, prompts = 256 } = options;
  const jobs = METHODS.map(
    (method) => ({ kind: 'train', root: runs, seed, config: trainConfigOf(protocol, method) }) as const,
  );
  await runJobs(jobs, options);
  await useBackend('wasm');
  const base = { label: 'base', weights: loadWeights(openJobFolder(baseJobOf(jobs[0])).path) };
  const trained = jobs.map((job, i) => ({
    label: `after ${METHODS[i].toUpperCase()}`,
    weights: loadWeights(openJobFolder(job).path),
  }));
  const parts = [
    gradientForms(Math.ceil(distributions / 25), seed),
    inconsistency(distributions, seed),
    conditionsOfSurrogates(),
    regretBounds(distributions, seed),
    await opposition([base, ...trained], jobs[0].config, {
      prompts,
      promptsPerBatch: 8,
      tau: TOY_METHODS.capo.tau,
      smoothings: [0.05, 0.1, 0.2],
      seed,
    }),
  ];
  const claims = parts.flatMap((part) => part.claims);
  const tables = [
    claimsTable(claims, [`Seed ${seed}; ${distributions} random distributions each. Proofs in short: docs/theory.md.`]),
    ...parts.flatMap((part) => part.tables),
  ];
  const provenance = {
    command: `capo reproduce theory --seed ${seed}`,
    parameters: { seed, distributions, prompts, protocol: configHash(protocol) },
  };
  const records = claims.map(({ id, statement, measured, holds }) => ({
    id,
    statement,
    measured,
    verdict: holds === null ? 'measured' : String(holds),
  }));
  const figure = theoryFigure(seed);
  const file = (extension: string) => join(out, `theory.${extension}`);
  const written: [string, string | Uint8Array][] = [
    [file('md'), tables.map(renderMarkdown).join('\n')],
    [file('tex'), tables.map(renderLatex).join('\n')],
    [file('csv'), renderCsv(records)],
    [file('json'), toJsonDocument({ claims, tables, manifests: jobs.map((job) => openJobFolder(job).manifest) })],
    ...FIGURE_FORMATS.map((format): [string, Uint8Array] => [file(format), renderFigure(figure, format, provenance)]),
  ];
  for (const [path, data] of written) writeFileAtomic(path, data);
  return { claims, tables, files: written.map(([path]) => path) };
}
