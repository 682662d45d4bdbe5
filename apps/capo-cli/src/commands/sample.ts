import { basename, join } from 'node:path';
import type { Capabilities, CostPlan, DrawOptions } from '@capo/model';
import { InputError, RunFolder, stream } from '@capo/samples';
import { Flags } from '@oclif/core';
import { BaseCommand } from '../base-command.js';
import { interruptSignal } from '../interrupt.js';
import { createProgress } from '../progress.js';
import { chooseProblems, endpointSource, localSource, openLocal, type Source } from '../sampling-run.js';

const INSTRUCTION = 'Please reason step by step, and put your final answer within \\boxed{}.';

export default class Sample extends BaseCommand {
  static override summary = 'Draw graded responses to a benchmark from a model.';

  static override description =
    `Draws --n responses to each problem, from an OpenAI-compatible server (vLLM, SGLang, llama.cpp server, Ollama, OpenAI) or
from a model of this process, and appends each, graded and with its log-probabilities, to samples.jsonl in a run folder.
A few short requests first find out what a server does; the findings go into the manifest. Stopped at any moment and run again, it asks only for what
is missing. The key of the server is read from CAPO_API_KEY or OPENAI_API_KEY; it is never shown or stored.`;

  static override examples = [
    '<%= config.bin %> sample --endpoint http://localhost:8000/v1 --model Qwen/Qwen2.5-Math-7B --benchmark aime24 --n 16',
    '<%= config.bin %> sample --endpoint http://localhost:8000 --model m --benchmark mine.jsonl --n 4 --dry-run',
    '<%= config.bin %> sample --endpoint http://localhost:8000 --model base --route completions --benchmark gsm8k --limit 100',
    '<%= config.bin %> sample --model models/mine --route completions --benchmark mine.jsonl --n 16 --max-tokens 200',
  ];

  static override flags = {
    endpoint: Flags.string({ description: 'address of the server, usually ending in /v1' }),
    model: Flags.string({
      description: "the server's name of the model; without --endpoint a folder, or a pulled model's name on the hub",
      required: true,
    }),
    revision: Flags.string({ description: 'branch, tag or commit of a pulled model', default: 'main' }),
    benchmark: Flags.string({ description: 'name of a benchmark, or a file of problems (JSONL)', required: true }),
    benchmarks: Flags.string({ description: "folder of the sets' files (default: where capo data fetch keeps them)" }),
    n: Flags.integer({ description: 'responses to each problem', default: 16, min: 1 }),
    limit: Flags.integer({ description: 'only the first problems', min: 1 }),
    ids: Flags.string({ description: 'only these problems, separated by commas' }),
    temperature: Flags.string({ description: 'temperature of the draws', default: '1.0' }),
    'max-tokens': Flags.integer({ description: 'the most tokens of a response', default: 3000, min: 1 }),
    'top-p': Flags.string({ description: 'keep the most probable tokens up to this sum' }),
    'top-k': Flags.integer({ description: 'keep so many of the most probable tokens', min: 1 }),
    'min-p': Flags.string({ description: 'keep tokens at least so probable, relative to the most probable' }),
    stop: Flags.string({ description: 'text that ends a response', multiple: true }),
    route: Flags.string({
      description: 'chat: through the chat template of the server; completions: plain text',
      options: ['chat', 'completions'],
      default: 'chat',
    }),
    system: Flags.string({ description: 'system message of the chat route' }),
    instruction: Flags.string({ description: 'what is said after each problem', default: INSTRUCTION }),
    choices: Flags.integer({ description: 'draws that are asked for in one request', default: 1, min: 1 }),
    concurrency: Flags.integer({ description: 'requests in flight at a server', default: 8, min: 1 }),
    batch: Flags.integer({ description: 'responses side by side in this process', default: 64, min: 1 }),
    'max-retries': Flags.integer({ description: 'further attempts at a request', default: 6, min: 0 }),
    timeout: Flags.integer({ description: 'seconds for one attempt', default: 600, min: 1 }),
    logprobs: Flags.boolean({ description: 'refuse a server without log-probabilities', default: true, allowNo: true }),
    semantics: Flags.string({
      description: 'what the log-probabilities are, where it cannot be found out',
      options: ['raw', 'processed'],
    }),
    runs: Flags.string({ description: 'folder of the run folders', default: 'runs' }),
    'dry-run': Flags.boolean({ description: 'print what would be asked and the cost in tokens' }),
    tokenizer: Flags.string({ description: 'model folder whose tokenizer counts the tokens of --dry-run' }),
  };

  async run(): Promise<unknown> {
    const { flags } = await this.parse(Sample);
    const model = await import('@capo/model');
    const problems = await chooseProblems({
      benchmark: flags.benchmark,
      folder: flags.benchmarks,
      limit: flags.limit,
      ids: flags.ids,
    });
    const grader = (await import('@capo/benchmarks')).mathGrader();
    const draw = drawOptions(flags);
    const route = flags.route as 'chat' | 'completions';
    const { system, instruction } = flags;
    const prompted = problems.map(({ id, benchmark, prompt, gold }) => ({
      benchmark,
      problemId: id,
      prompt: instruction ? `${prompt}\n${instruction}` : prompt,
      gold,
    }));
    const source =
      flags.endpoint === undefined
        ? await localSource(flags.model, flags.revision)
        : await endpointSource(flags.endpoint, flags.model);
    // What shapes the responses, and nothing else: more draws or problems continue the same run.
    const config = { ...source.identity, route, system, instruction, benchmark: problems[0].benchmark, draw };
    const folderPath = RunFolder.pathOf(flags.runs, 'sample', config, flags.seed);
    const path = join(folderPath, 'samples.jsonl');
    const collect = { run: basename(folderPath), seed: flags.seed, draws: flags.n, path, draw };

    if (flags['dry-run']) {
      const tokenizerFolder = source.kind === 'local' ? source.folder : flags.tokenizer;
      const tokenizer = tokenizerFolder === undefined ? null : model.loadTokenizer(tokenizerFolder);
      const plan = await model.planCost(prompted, { ...collect, tokenizer });
      return this.printPlan(plan, folderPath, source, { route, system, draw, model: flags.model });
    }

    const interrupt = interruptSignal((message) => this.note(message));
    const progress = createProgress();
    const onNote = (message: string) => this.note(message);
    try {
      const policy =
        source.kind === 'local'
          ? await openLocal(source.folder, flags.model, { route, system, batchSize: flags.batch })
          : await model.EndpointPolicy.connect({
              url: source.identity.url,
              model: flags.model,
              route,
              system,
              temperature: draw.temperature,
              needsLogprobs: flags.logprobs,
              semantics: flags.semantics as 'raw' | 'processed' | undefined,
              choicesPerRequest: flags.choices,
              apiKey: process.env.CAPO_API_KEY || process.env.OPENAI_API_KEY,
              concurrency: flags.concurrency,
              maxRetries: flags['max-retries'],
              timeoutSeconds: flags.timeout,
              random: stream(flags.seed, 'back-off').uniform,
              onNote,
              signal: interrupt.signal,
            });
      try {
        const backend = source.kind === 'local' ? 'wasm' : null;
        const open = () => RunFolder.open(flags.runs, 'sample', config, flags.seed, backend);
        const capabilities = policy instanceof model.EndpointPolicy ? policy.capabilities : null;
        const result = await RunFolder.locked(open, async (folder) => {
          if (capabilities) this.recordServer(folder, capabilities, flags);
          folder.note({ grader: grader.version });
          const collected = await model.collectSamples(policy, prompted, grader, {
            ...collect,
            onWarning: (message) => this.note(`Warning: ${message}`),
            onProgress: (done, total) => progress.update(done / total, null, `${done} of ${total} samples`),
          });
          folder.finish({ problems: problems.length, draws: flags.n });
          return collected;
        });
        this.log(`${result.added} samples added to the ${result.before} in ${path}`);
        return { ...result, folder: folderPath, samples: path, capabilities };
      } finally {
        await policy.close();
        await grader.close();
      }
    } finally {
      progress.stop();
      interrupt.release();
    }
  }

  /** Keeps what was found out about the server with the run, and refuses another server for the same samples. */
  private recordServer(folder: RunFolder, capabilities: Capabilities, flags: { choices: number; temperature: string }) {
    checkSameServer(folder, capabilities.semantics.kind);
    folder.manifest.determinism =
      capabilities.seed === 'honoured' ? 'the server honours seeds' : `seeds of the server: ${capabilities.seed}`;
    folder.note({ capabilities });
    for (const warning of warnings(capabilities, flags)) this.note(`Warning: ${warning}`);
  }

  private async printPlan(plan: CostPlan, folder: string, source: Source, asked: Asked): Promise<unknown> {
    const { FULL_DIALECT, requestBody } = await import('@capo/model');
    const { first, ...numbers } = plan;
    const exact = plan.exact ? '' : ' (estimated at 3.5 characters each; --tokenizer counts them)';
    this.log(`${plan.total} samples, of which ${plan.finished} are in ${folder}; ${plan.requests} requests are left.`);
    this.log(`Prompt tokens: ${plan.promptTokens}${exact}. Response tokens: at most ${plan.maxResponseTokens}.`);
    if (source.kind === 'local' || first === null) return { ...numbers, folder };
    const { route, draw, ...rest } = asked;
    const request = requestBody(route, FULL_DIALECT, { ...draw, ...rest, ...first, choices: 1, alternatives: 1 });
    const { url } = source.identity;
    this.log(`The first request, to ${url}:\n${JSON.stringify(request, null, 2)}`);
    return { ...numbers, folder, url, request };
  }
}

interface Asked {
  route: 'chat' | 'completions';
  system: string | undefined;
  model: string;
  draw: DrawOptions;
}

/** Samples of one run must have log-probabilities of one meaning. */
function checkSameServer(folder: RunFolder, found: string): void {
  const before = (folder.manifest.notes.capabilities as { semantics?: { kind?: string } } | undefined)?.semantics?.kind;
  if (before === undefined || before === 'unknown' || found === 'unknown' || before === found) return;
  throw new InputError(
    `The server now gives ${found} log-probabilities, and the samples in ${folder.path} have ${before} ones.`,
    'Start the server as before, or begin a new run with another --runs.',
  );
}

function warnings(
  { seed, semantics, choices }: { seed: string; semantics: { kind: string; evidence: string }; choices: number },
  flags: { choices: number; temperature: string },
): string[] {
  const found: string[] = [];
  if (seed !== 'honoured') found.push(`seeds of the server are ${seed}: the samples cannot be drawn again.`);
  if (semantics.kind === 'unknown' && Number(flags.temperature) !== 1) {
    found.push(
      `whether log-probabilities are before or after the temperature cannot be found out (${semantics.evidence}); without --semantics they are left out.`,
    );
  }
  if (flags.choices > 1 && choices < 2)
    found.push('the server gives no different choices in one request; asking singly.');
  return found;
}

function drawOptions(flags: Record<'temperature', string> & Record<string, unknown>): DrawOptions {
  const numberOf = (name: string, low: number, high: number) =>
    number(flags[name] as string | undefined, name, low, high);
  const given = {
    topP: numberOf('top-p', 0, 1),
    topK: flags['top-k'] as number | undefined,
    minP: numberOf('min-p', 0, 1),
    stop: flags.stop as string[] | undefined,
  };
  const maxTokens = flags['max-tokens'] as number;
  return { maxTokens, temperature: numberOf('temperature', 0, 100) ?? 1, ...defined(given) };
}

function number(text: string | undefined, name: string, low: number, high: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !(value >= low && value <= high)) {
    throw new InputError(`--${name} is "${text}".`, `Give a number from ${low} to ${high}.`);
  }
  return value;
}

/** The members that have a value. */
function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
