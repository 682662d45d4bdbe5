import { EndpointPolicy } from '../../endpoint/endpoint-policy.js';
import { collectSamples } from '../collect-samples.js';
import { collectArguments } from './collect-arguments.js';

// A process that collects samples from the mock server until it is done or killed.
const [url, path] = process.argv.slice(2);
const policy = await EndpointPolicy.connect({
  url,
  model: 'mock',
  route: 'completions',
  temperature: 1,
  needsLogprobs: true,
  concurrency: 4,
  maxRetries: 6,
  timeoutSeconds: 5,
  random: () => 0,
});
const { problems, judge, options } = collectArguments(path);
await collectSamples(policy, problems, judge, options);
await policy.close();
