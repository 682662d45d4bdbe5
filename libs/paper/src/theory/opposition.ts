import {
  createDecoder,
  type Rollout,
  rollOut,
  samplerOf,
  type TokenisedProblem,
  type TrainConfig,
  toyTask,
} from '@capo/rl-core';
import { InputError } from '@capo/samples';
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
      const draw = (problems: readonly TokenisedProblem[]) =>
        rollOut(samplerOf(decoder), task, problems, {
          draws: config.groupSize,
          temperature: 1,
          streamOf: (problem, index) => [seed, 'update-directions', problem.id, index],
        });
      const rollout = await draw(problems);
      const heldOut = await draw(task.validation);
      for (const smoothing of smoothings) {
        const add = (unit: string, groupsPerUnit: number, more: { heldOut?: Rollout } = {}) => {
          const units = alignments(decoder, rollout, { groupsPerUnit, tau, smoothing, ...more });
          rows.push({ policy: label, unit, smoothing, units });
        };
        add('group, own AUC', 1);
        add(`${promptsPerBatch} prompts, own AUC`, promptsPerBatch);
        add(`${promptsPerBatch} prompts, held-out AUC`, promptsPerBatch, { heldOut });
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
  const inLpm = units.flatMap(({ lpm }) => (lpm ? [lpm.grpo, lpm.capo] : []));
  const share = (unit: string) => {
    // One smoothing only, the middle one: the same groups under another are no further evidence.
    const smoothing = smoothings[Math.floor(smoothings.length / 2)];
    const own = rows
      .filter((row) => row.unit.endsWith(unit) && row.smoothing === smoothing)
      .flatMap((row) => row.units);
    const count = (method: 'grpo' | 'capo') =>
      `${method.toUpperCase()} ${opposing(own.map(({ parameters }) => parameters[method]))} of ${own.length}`;
    return `${count('grpo')}, ${count('capo')}`;
  };
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
        statement:
          'In the space of parameters, which responses share: how often updates oppose the AUC of their own groups',
        measured: share('own AUC'),
        holds: null,
      },
      {
        id: '5c',
        statement: 'How often updates of a batch oppose the AUC of held-out prompts',
        measured: share('held-out AUC'),
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
          const parameters = (method: 'grpo' | 'capo') => own.map((item) => item.parameters[method]);
          const lpm = (method: 'grpo' | 'capo') => own.flatMap((item) => (item.lpm ? [item.lpm[method]] : []));
          const average = (values: readonly number[]) => (values.length === 0 ? 'n/a' : mean(values).toFixed(3));
          const closer = own.filter((item) => item.parameters.capo > item.parameters.grpo).length;
          return [
            policy,
            unit,
            String(smoothing),
            String(own.length),
            String(opposing(parameters('grpo'))),
            String(opposing(parameters('capo'))),
            average(parameters('grpo')),
            average(parameters('capo')),
            String(closer),
            average(lpm('grpo')),
            average(lpm('capo')),
          ];
        }),
        notes: [
          `Scale toy, seed ${seed}: ${problems.length} prompts of the training pool, ${config.groupSize} draws each; n counts units with a pair. Held out: the ${task.validation.length} validation prompts. CAPO with tau ${tau}, no mask.`,
          'Opposes: the inner product of the update with the gradient of the smoothed AUC is negative. Cosines are means over units, in the space of parameters unless lpm is said.',
        ],
      },
    ],
  };
}
