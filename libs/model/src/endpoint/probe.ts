import { didYouMean, ExternalError, InputError } from '@capo/samples';
import { type EndpointClient, RequestFailure } from './endpoint-client.js';
import type { Choice, Reply } from './reply.js';
import {
  adapt,
  type BodyOptions,
  type Dialect,
  FULL_DIALECT,
  ROUTE_PATHS,
  type Route,
  requestBody,
} from './request-body.js';
import { judgeTemperature, type TemperatureFinding } from './temperature-finding.js';

/** What a server does, found out by a few short requests; goes into the manifest of the run. */
export interface Capabilities {
  /** The models that it has; null when it does not tell. */
  models: string[] | null;
  /** Whether it returns log-probabilities. */
  logprobs: boolean;
  /** How many of the most probable tokens it tells for each place, of the 5 that were asked for. */
  alternatives: number;
  /** Whether log-probabilities are of the model (raw) or of the tempered distribution (processed). */
  semantics: TemperatureFinding;
  /** Whether the same seed gives the same text and another seed another. */
  seed: 'honoured' | 'ignored' | 'unknown' | 'refused';
  /** How many different choices one request can give, of the 2 that were asked for. */
  choices: number;
  dialect: Dialect;
}

export interface ProbeTarget {
  client: EndpointClient;
  route: Route;
  model: string;
  system?: string | undefined;
  /** The temperature of the run. */
  temperature: number;
}

/** Prompts whose continuation is open, so that several tokens are probable. */
const OPEN_PROMPTS = [
  'Name a random animal:',
  'Write one sentence about a random thing.',
  'My favourite number between 1 and 1000 is',
];

/**
 * Asks a server what it can do before the first sample, so that a method that needs log-probabilities does not find out
 * after a night that there are none.
 *
 * @throws ExternalError when it cannot be reached or answers no request; InputError for a model that it does not have
 */
export async function probe(target: ProbeTarget): Promise<Capabilities> {
  const models = await target.client.models();
  if (models && !models.includes(target.model)) {
    const known = models.slice(0, 20);
    throw new InputError(`${target.client.address} has no model "${target.model}".`, didYouMean(target.model, known));
  }
  const { dialect, reply } = await findDialect(target);
  const ask = (changes: Partial<BodyOptions>) => askFor(target, dialect, changes);
  const first = reply.choices[0].tokens ?? [];
  const logprobs = first.some(({ logprob }) => logprob !== null);
  const alternatives = Math.max(0, ...first.map((token) => token.alternatives.size));
  return {
    models,
    logprobs,
    alternatives,
    semantics: logprobs
      ? await findSemantics(ask, target.temperature)
      : { kind: 'unknown', evidence: 'none are given' },
    seed: dialect.sendsSeed ? await findSeed(ask) : 'refused',
    choices: await findChoices(ask),
    dialect,
  };
}

type Ask = (changes: Partial<BodyOptions>) => Promise<Reply>;

function askFor(target: ProbeTarget, dialect: Dialect, changes: Partial<BodyOptions>): Promise<Reply> {
  const { client, route, model, system } = target;
  const base = { model, system, prompt: OPEN_PROMPTS[0], maxTokens: 4, temperature: 1, seed: null, choices: 1 };
  return client.complete(ROUTE_PATHS[route], requestBody(route, dialect, { ...base, alternatives: 5, ...changes }));
}

/** Sends a first request, leaving out one parameter after the other that the server complains about. */
async function findDialect(target: ProbeTarget): Promise<{ dialect: Dialect; reply: Reply }> {
  for (let dialect = FULL_DIALECT; ; ) {
    try {
      return { dialect, reply: await askFor(target, dialect, { seed: 1 }) };
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      const adapted = adapt(dialect, error.message);
      if (!adapted) {
        throw new ExternalError(
          `${target.client.address} refuses the request: ${error.message}`,
          'Check --model, --route and the sampling options against what the server supports.',
        );
      }
      dialect = adapted;
    }
  }
}

/** Compares the first token's log-probabilities at temperature 1 with those at another temperature. */
async function findSemantics(ask: Ask, temperature: number): Promise<TemperatureFinding> {
  const other = temperature === 1 ? 0.5 : temperature;
  let finding: TemperatureFinding = { kind: 'unknown', evidence: 'no token was seen at both temperatures' };
  for (const prompt of OPEN_PROMPTS) {
    const [one, two] = await Promise.all(
      [1, other].map((value) => ask({ prompt, temperature: value, maxTokens: 1, seed: 1 })),
    );
    finding = judgeTemperature(firstToken(one), firstToken(two), other);
    if (finding.kind !== 'unknown') break;
  }
  return finding;
}

/** The log-probabilities that are known for the first token of a reply. */
function firstToken({ choices }: Reply): Map<string, number> {
  const token = choices[0].tokens?.[0];
  const known = new Map(token?.alternatives);
  if (token && token.logprob !== null) known.set(token.token, token.logprob);
  return known;
}

async function findSeed(ask: Ask): Promise<Capabilities['seed']> {
  const draw = (seed: number) => ask({ prompt: OPEN_PROMPTS[1], maxTokens: 16, seed });
  const [one, again, other] = (await Promise.all([11, 11, 12].map(draw))).map(({ choices }) => choices[0].text);
  if (one !== again) return 'ignored';
  return one === other ? 'unknown' : 'honoured';
}

async function findChoices(ask: Ask): Promise<number> {
  try {
    const { choices } = await ask({ prompt: OPEN_PROMPTS[1], maxTokens: 16, choices: 2 });
    return new Set(choices.map(({ text }: Choice) => text)).size;
  } catch (error) {
    if (error instanceof RequestFailure) return 1;
    throw error;
  }
}
