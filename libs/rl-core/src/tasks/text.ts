import type { Grader, Problem } from '@capo/benchmarks';
import type { Message, TextTokenizer } from '@capo/model';
import { InputError, permutation, stream } from '@capo/samples';
import type { TokenisedProblem, TrainingTask } from './task.js';

export interface TextTaskOptions {
  tokenizer: TextTokenizer;
  grader: Grader;
  training: readonly Problem[];
  suites: Readonly<Record<string, readonly Problem[]>>;
  /** Problems that are taken out of the training set, by a seeded draw, to validate on. */
  validation: number;
  /** chat: through the model's own chat template; completions: plain text. */
  route: 'chat' | 'completions';
  system: string | null;
  /** What is said after each problem. */
  instruction: string;
  maxPromptTokens: number;
  maxResponseTokens: number;
}

/** A task of problems as text, and how many training problems were left out because their prompts are too long. */
export interface TextTask {
  task: TrainingTask;
  tooLong: number;
}

/**
 * A training task of problems in words, through a model's own tokenizer.
 *
 * @throws InputError when no training problem is left, or a problem to evaluate on is too long
 */
export function textTask(options: TextTaskOptions): TextTask {
  const { tokenizer, training, suites, validation, maxPromptTokens, maxResponseTokens, grader } = options;
  const all = training.map((problem) => tokenised(problem, options));
  const fitting = all.filter(({ promptTokens }) => promptTokens.length <= maxPromptTokens);
  if (fitting.length <= validation) {
    throw new InputError(
      `Of ${all.length} training problems ${fitting.length} have at most ${maxPromptTokens} prompt tokens; ${validation} are for validation, so that none is left.`,
      'Raise prompt.maxTokens, lower data.validation, or give more problems.',
    );
  }
  // The same problems validate in every run, whatever its seed, so that runs can be compared.
  const order = permutation(fitting.length, stream(0, 'validation-split'));
  const chosen = new Set(order.subarray(0, validation));
  const task: TrainingTask = {
    vocabSize: tokenizer.vocabSize,
    endTokens: tokenizer.special.eos,
    maxResponseTokens,
    trainingPool: fitting.filter((_, i) => !chosen.has(i)),
    validation: fitting.filter((_, i) => chosen.has(i)),
    suites: Object.fromEntries(Object.entries(suites).map(([name, problems]) => [name, evaluated(problems, options)])),
    decode: (tokens) => tokenizer.decode(Array.from(tokens)),
    text: () => {
      throw new TypeError('a task of problems has no supervised texts');
    },
    grader,
  };
  return { task, tooLong: all.length - fitting.length };
}

function evaluated(problems: readonly Problem[], options: TextTaskOptions): TokenisedProblem[] {
  return problems.map((problem) => {
    const result = tokenised(problem, options);
    if (result.promptTokens.length <= options.maxPromptTokens) return result;
    throw new InputError(
      `${problem.benchmark}/${problem.id}: its prompt has ${result.promptTokens.length} tokens, more than prompt.maxTokens = ${options.maxPromptTokens}.`,
      'Raise prompt.maxTokens: leaving problems out of an evaluation would change what it measures.',
    );
  });
}

function tokenised(problem: Problem, { tokenizer, route, system, instruction }: TextTaskOptions): TokenisedProblem {
  const prompt = instruction ? `${problem.prompt}\n${instruction}` : problem.prompt;
  const messages: Message[] = [{ role: 'user', content: prompt }];
  if (system) messages.unshift({ role: 'system', content: system });
  const ids = route === 'completions' ? tokenizer.encodePrompt(prompt) : tokenizer.encodeChat(messages).ids;
  return { ...problem, prompt, promptTokens: Int32Array.from(ids) };
}
