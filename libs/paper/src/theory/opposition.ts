import { createDecoder, rollOut, type TrainConfig, toyTask } from '@capo/rl-core';
import { InputError, stream } from '@capo/samples';
import type { TheoryPart } from './claim.js';
import { type Alignment, alignments } from './update-directions.js';

/** A policy of a toy run. */
export interface ToyPolicy {
  /** `base`, `after GRPO`, ... */
  label: string;
  weights: ReadonlyMap<string, Float32Array>;
}

export interface OppositionOptions {
  /** Prompts of the training pool that groups are drawn for. */
  prompts: number;
  /** Prompts of a batch, as a minibatch of the trainer has them. */
  promptsPerBatch: number;
  /** CAPO's. */
  tau: number;
  /** Of the smoothed AUC, in units of lpm. */
  smoothings: readonly number[];
  seed: number;
}

interface Row {
  policy: string;
  unit: string;
  smoothing: number;
  units: Alignment[];
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const opposing = (values: readonly number[]) => values.filter((value) => value < 0).length;

/**
 * Claim 5: how often updates oppose the gradient of AUC, on groups that the policies of a toy run draw for prompts of
 * the training pool.
 *
 * @throws InputError when no group of any policy holds a right and a wrong response
 */
export async function opposition(
  policies: readonly ToyPolicy[],
  config: TrainConfig,
  options: OppositionOptions,
): Promise<TheoryPart> {
  const { prompts, promptsPerBatch, tau, smoothings, seed } = options;
  const task = toyTask(config.base.task);
  const problems = task.trainingPool.slice(0, prompts);
  const rows: Row[] = [];
  for (const { label, weights } of policies) {
    const decoder = createDecoder(config.base, task, weights, seed);
    try {
      const rollout = await rollOut(decoder, task, problems, {
        draws: config.groupSize,
        temperature: 1,
        randomOf: (problem, draw) => stream(seed, 'update-directions', problem.id, draw),
      });
      for (const smoothing of smoothings) {
        for (const [unit, size] of [['group', 1] as const, [`${promptsPerBatch} prompts`, promptsPerBatch] as const]) {
          rows.push({ policy: label, unit, smoothing, units: alignments(decoder, rollout, size, tau, smoothing) });
        }
      }
    } finally {
      decoder.dispose();
    }
  }
  const units = rows.flatMap((row) => row.units);
  if (units.length === 0) {
    throw new InputError(
      'No group of the toy run holds a right and a wrong response, so there is no AUC to oppose.',
      'Train the base model for more steps.',
    );
  }
  const inLpm = units.flatMap(({ lpm }) => [lpm.grpo, lpm.capo]);
  const groups = rows.filter(({ unit }) => unit === 'group').flatMap((row) => row.units);
  const share = (method: 'grpo' | 'capo') =>
    `${method.toUpperCase()} ${opposing(groups.map(({ parameters }) => parameters[method]))} of ${groups.length}`;
  return {
    claims: [
      {
        id: '5a',
        statement: 'In the space of lpm no update of one of the two opposes the gradient of AUC within prompts',
        measured: `${opposing(inLpm)} of ${inLpm.length} directions; all raise right responses and lower wrong ones`,
        holds: opposing(inLpm) === 0,
      },
      {
        id: '5b',
        statement: 'In the space of parameters, which responses share, updates of single groups may oppose it',
        measured: `${share('grpo')}, ${share('capo')}`,
        holds: null,
      },
    ],
    tables: [
      {
        title: 'Updates against the gradient of AUC within prompts, on groups of toy runs',
        header: [
          'policy',
          'unit',
          'smoothing',
          'n',
          'GRPO opposes',
          'CAPO opposes',
          'GRPO cosine',
          'CAPO cosine',
          'CAPO closer',
          'GRPO lpm cosine',
          'CAPO lpm cosine',
        ],
        rows: rows.map(({ policy, unit, smoothing, units: own }) => {
          const of = (space: 'lpm' | 'parameters', method: 'grpo' | 'capo') => own.map((unit) => unit[space][method]);
          const average = (values: readonly number[]) => (values.length === 0 ? 'n/a' : mean(values).toFixed(3));
          const closer = own.filter(({ parameters }) => parameters.capo > parameters.grpo).length;
          return [
            policy,
            unit,
            String(smoothing),
            String(own.length),
            String(opposing(of('parameters', 'grpo'))),
            String(opposing(of('parameters', 'capo'))),
            average(of('parameters', 'grpo')),
            average(of('parameters', 'capo')),
            String(closer),
            average(of('lpm', 'grpo')),
            average(of('lpm', 'capo')),
          ];
        }),
        notes: [
          `Scale toy, seed ${seed}: ${problems.length} prompts of the training pool, ${config.groupSize} draws each; n counts units with a pair. CAPO with tau ${tau}, no mask.`,
          'Opposes: the inner product of the update with the gradient of the smoothed AUC is negative. Cosines are means over units, in the space of parameters unless lpm is said.',
        ],
      },
    ],
  };
}
