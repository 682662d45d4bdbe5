// How long every method of inference-time scaling takes, and how that grows with the number of draws.
//
//   npm run bench:tts [-- --problems 1000 --draws 256 --subsets 5]
//
// Draws are generated: answers of eight classes, log-probabilities, 64 token log-probabilities each. One line a method:
// seconds for all N = 1, 2, 4, .. up to the number of draws.

import { parseArgs } from 'node:util';
import { stream } from '@capo/samples';
import { expectationOf, METHOD_DEFAULTS, methodsOf } from '@capo/tts';

const { values } = parseArgs({
  options: {
    problems: { type: 'string', default: '1000' },
    draws: { type: 'string', default: '256' },
    subsets: { type: 'string', default: '5' },
  },
});
const [problems, draws, subsets] = [values.problems, values.draws, values.subsets].map(Number);

function problemOf(index) {
  const random = stream(1, 'bench-tts', index);
  const lpm = Float64Array.from({ length: draws }, () => -2 * random.uniform());
  return {
    answers: Int32Array.from({ length: draws }, () => random.integer(9) - 1),
    gold: 0,
    lpm,
    sequenceLogprobs: lpm.map((value) => 64 * value),
    confidence: lpm.map((value) => Math.exp(value)),
    selfCertainty: lpm.map((value) => 5 + value),
    paths: Int32Array.from({ length: draws }, (_, i) => i),
    tokens: new Float64Array(draws).fill(64),
    tokenLogprobs: Array.from(lpm, (value) => Float64Array.from({ length: 64 }, () => value * 2 * random.uniform())),
    greedy: Uint8Array.from({ length: draws }, (_, i) => (i === 0 ? 1 : 0)),
  };
}

const all = Array.from({ length: problems }, (_, i) => problemOf(i));
const sizes = [];
for (let n = 1; n <= draws; n *= 2) sizes.push(n);
process.stdout.write(`${problems} problems, ${draws} draws, N = ${sizes.join(', ')}, ${subsets} subsets\n`);
let total = 0;
for (const method of methodsOf({ ...METHOD_DEFAULTS, window: 16 })) {
  const { uniform } = stream(1, 'bench-tts', method.name);
  const start = performance.now();
  for (const n of sizes) for (const problem of all) expectationOf(method, problem, n, { subsets, random: uniform });
  const seconds = (performance.now() - start) / 1000;
  total += seconds;
  process.stdout.write(`${method.name.padEnd(28)} ${seconds.toFixed(2).padStart(8)} s\n`);
}
process.stdout.write(
  `${'all'.padEnd(28)} ${total.toFixed(2).padStart(8)} s, ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB\n`,
);
