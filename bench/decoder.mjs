// Milliseconds of the parts of training at toy scale, and where a supervised step spends its time.
//
//   npm run bench:decoder

import {
  AdamW,
  initialWeights,
  lossAndGradients,
  packSequences,
  sampleBatch,
  scoreBatch,
  scoreSequences,
  tf,
  useBackend,
} from '@capo/model';
import { baseModelSchema, createDecoder, toyTask } from '@capo/rl-core';
import { stream } from '@capo/samples';

await useBackend('wasm');
const config = baseModelSchema.parse({});
const task = toyTask(config.task);
const decoder = createDecoder(config, task, null, 1);
const optimizer = new AdamW(decoder.parameters, config.optimizer);
const parameters = [...initialWeights(decoder.config, stream(1, 'size')).values()].reduce((n, w) => n + w.length, 0);

/** The median of repetitions after a warm-up. */
function time(name, work, repetitions = 15) {
  work();
  const times = [];
  for (let i = 0; i < repetitions; i++) {
    const started = performance.now();
    work();
    times.push(performance.now() - started);
  }
  const median = times.sort((a, b) => a - b)[repetitions >> 1];
  process.stdout.write(`${name.padEnd(58)} ${median.toFixed(1).padStart(7)} ms\n`);
  return median;
}

function step(batch) {
  const loss = () => scoreBatch(decoder, batch).logprob.mean().neg();
  optimizer.update(lossAndGradients(decoder.parameters, loss).gradients, 1e-3);
}

const random = stream(1, 'bench');
const texts = packSequences(Array.from({ length: 64 }, () => task.text(random)));
const pool = task.trainingPool.slice(0, 32);
const requests = () =>
  Array.from({ length: 256 }, (_, i) => ({ prompt: pool[i >> 3].promptTokens, random: stream(1, 'draw', i) }));
const options = { maxTokens: task.maxResponseTokens, temperature: 1, endTokens: task.endTokens };
const drawn = sampleBatch(decoder, requests(), options);
const sequences = drawn.map(({ tokens }, i) => ({ prompt: pool[i >> 3].promptTokens, response: tokens.slice(0, 16) }));
const half = packSequences(sequences.slice(0, 128));

process.stdout.write(`${parameters} parameters\n`);
const ms = time(`supervised step, 64 texts (${texts.tokens.length} tokens)`, () => step(texts));
time('sampling 256 responses of at most 20 tokens', () => sampleBatch(decoder, requests(), options));
time(`update, 128 responses (${half.tokens.length} tokens)`, () => step(half));
time('scoring 256 responses (the reference of the mask)', () => scoreSequences(decoder, sequences));

// Two operations a weight and token forward, four backward; the rows of the last layer's second half are fewer.
const size = 256;
const a = tf.ones([size, size]);
const product = time('product of 256 x 256 matrices', () => tf.matMul(a, a).dispose(), 101);
const peak = (2 * size ** 3) / product / 1e6;
const share = (6 * parameters * texts.tokens.length) / ms / 1e6 / peak;
process.stdout.write(
  `supervised step at ${(100 * share).toFixed(0)} % of the product's ${peak.toFixed(1)} GFLOP/s\n\n`,
);

const profile = await tf.profile(() => {
  step(texts);
  return tf.scalar(0);
});
const byKernel = new Map();
for (const { name, kernelTimeMs } of profile.kernels) {
  const [total, calls] = byKernel.get(name) ?? [0, 0];
  byKernel.set(name, [total + (await kernelTimeMs), calls + 1]);
}
for (const [name, [total, calls]] of [...byKernel].sort((x, y) => y[1][0] - x[1][0]).slice(0, 8)) {
  process.stdout.write(`${name.padEnd(32)} ${total.toFixed(1).padStart(6)} ms in ${calls} calls\n`);
}
