import type { PromptRequest } from '../policy.js';
import type { TextTokenizer } from '../tokenizer/index.js';
import { type CollectOptions, finishedSamples } from './collect-samples.js';
import { type PromptedProblem, planDraws } from './plan-draws.js';

/** What a collection would ask for. */
export interface CostPlan {
  /** All samples of the finished collection. */
  total: number;
  finished: number;
  requests: number;
  /** Tokens of all prompts that are left, without what a chat template adds. */
  promptTokens: number;
  /** Whether a tokenizer counted them. */
  exact: boolean;
  maxResponseTokens: number;
  first: PromptRequest | null;
}

/** English text has about this many characters per token; mathematics has somewhat fewer. */
const CHARACTERS_PER_TOKEN = 3.5;

/** Counts what `collectSamples` would ask for, without asking. */
export async function planCost(
  problems: readonly PromptedProblem[],
  options: Pick<CollectOptions, 'run' | 'seed' | 'draws' | 'path' | 'draw'> & { tokenizer: TextTokenizer | null },
): Promise<CostPlan> {
  const finished = await finishedSamples(options.path, problems);
  const planned = planDraws(problems, options, finished);
  const lengths = new Map<string, number>();
  const tokensOf = (prompt: string): number => {
    const known = lengths.get(prompt);
    if (known !== undefined) return known;
    const { tokenizer } = options;
    const length = tokenizer ? tokenizer.encode(prompt).length : Math.ceil(prompt.length / CHARACTERS_PER_TOKEN);
    lengths.set(prompt, length);
    return length;
  };
  const total = problems.length * options.draws;
  return {
    total,
    finished: total - planned.length,
    requests: planned.length,
    promptTokens: planned.reduce((sum, { request }) => sum + tokensOf(request.prompt), 0),
    exact: options.tokenizer !== null,
    maxResponseTokens: planned.length * options.draw.maxTokens,
    first: planned[0]?.request ?? null,
  };
}
