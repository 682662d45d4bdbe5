import type { Method, MethodName } from './method-schema.js';

/** What the options of an objective come to when nothing is said. */
const COMMON = {
  aggregation: 'token-mean',
  ratio: 'token',
  kl: 'none',
  groupsWithoutSignal: 'keep',
  resampleRounds: 4,
  truncated: 'keep',
  overlongBuffer: 0.2,
  scale: 'group-std',
  deviation: 'sample',
  rewardCoding: 'zero-one',
} as const;

/** Where a method's source differs; each page in docs/methods gives the reason. */
const OWN: Partial<Record<MethodName, Partial<ResolvedOptions>>> = {
  'dr-grpo': { scale: 'none', aggregation: 'constant-length' },
  rloo: { scale: 'none' },
  dapo: { clipLow: 0.2, clipHigh: 0.28, groupsWithoutSignal: 'resample', truncated: 'penalise' },
  gspo: { ratio: 'sequence', aggregation: 'sequence-mean', clipLow: 3e-4, clipHigh: 4e-4 },
};

type Complete<T> = { [K in keyof T]-?: Exclude<T[K], undefined> };
type CentredMethod = Exclude<Method, { name: 'capo' }>;
type Centred = Complete<Omit<Extract<Method, { name: 'dr-grpo' }>, 'name' | 'constantLength'>>;

/** Every option of the objective and of the scaling, decided. */
export interface ResolvedOptions extends Centred {
  /** Tokens; what `constant-length` divides by. */
  constantLength: number;
}

/** A method with every option decided. */
export type ResolvedMethod = { options: ResolvedOptions; method: Method };

/** What a method takes from the run that it is part of. */
export interface MethodSurroundings {
  /** The clip on both sides where the method has none of its own. */
  clipRatio: number;
  /** The most tokens of a response. */
  maxTokens: number;
}

/** Decides every option: what the configuration says, else what the method's source says, else what all share. */
export function resolveMethod(method: Method, { clipRatio, maxTokens }: MethodSurroundings): ResolvedMethod {
  const given = Object.fromEntries(Object.entries(method).filter(([, value]) => value !== undefined));
  const all = {
    ...COMMON,
    clipLow: clipRatio,
    clipHigh: clipRatio,
    constantLength: maxTokens,
    ...OWN[method.name],
    ...given,
  };
  const keys = [...Object.keys(COMMON), 'clipLow', 'clipHigh', 'constantLength'] as (keyof ResolvedOptions)[];
  const options = Object.fromEntries(keys.map((key) => [key, all[key as keyof typeof all]]));
  return { options: options as unknown as ResolvedOptions, method };
}

/** Whether a method's advantage is a centred reward. */
export function isCentred(method: Method): method is CentredMethod {
  return method.name !== 'capo';
}

/**
 * The resolved options as they are printed in a run's header: one flat record, objective and advantage. Options that a
 * method has no use for are left out.
 */
export function methodHeader({ method, options }: ResolvedMethod): Record<string, string | number | boolean> {
  const { scale, deviation, rewardCoding, resampleRounds, overlongBuffer, constantLength, ...objective } = options;
  const own: Record<string, unknown> = { ...method };
  if (isCentred(method)) Object.assign(own, { scale, deviation, rewardCoding });
  if (method.name === 'grpo') own.mask = method.mask ?? 'none';
  if (method.name === 'capo') {
    own.surrogate = method.surrogate ?? 'logistic';
    own.lpmOf = method.lpmOf ?? 'sampling';
    own.maskedPartners = method.maskedPartners ?? 'keep';
  }
  Object.assign(own, objective);
  delete own.constantLength;
  delete own.resampleRounds;
  delete own.overlongBuffer;
  if (objective.aggregation === 'constant-length') own.constantLength = constantLength;
  if (objective.groupsWithoutSignal === 'resample') own.resampleRounds = resampleRounds;
  if (objective.truncated === 'penalise') own.overlongBuffer = overlongBuffer;
  return Object.fromEntries(
    Object.entries(own)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, typeof value === 'object' ? JSON.stringify(value) : (value as string)]),
  );
}
