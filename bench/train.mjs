// Tokens a second of sampling, scoring and updates, and of a whole step of reinforcement learning, in one and two
// threads, beside a plain PyTorch loop with the same model, batch, precision and number of threads; and how each
// grows with batch, length, width and threads.
//
//   npm run bench:train                     a step of the toy scale; PYTHON=path/to/python selects the interpreter with torch
//   npm run bench:train -- --growth         the growth instead
//   npm run bench:train -- --rounds 9       more rounds (default 5); ours and PyTorch's take turns in each

import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { AdamW, Decoder, initialWeights, tf, useBackend } from '@capo/model';
import { createCompute, decoderConfig, toyTask, toyTaskSchema, updatePolicy } from '@capo/rl-core';
import { stream } from '@capo/samples';

const { values: flags } = parseArgs({
  options: { growth: { type: 'boolean' }, rounds: { type: 'string', default: '5' } },
});
const rounds = Number(flags.rounds);
const python = process.env.PYTHON ?? 'python3';
const peer = new URL('train_peer.py', import.meta.url).pathname;
const hasTorch = spawnSync(python, ['-c', 'import torch']).status === 0;

await useBackend('wasm');
const task = toyTask(toyTaskSchema.parse({}));
const optimizerOptions = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, maxGradientNorm: 1 };
const objective = {
  clipLow: 0.2,
  clipHigh: 0.2,
  aggregation: 'token-mean',
  constantLength: task.maxResponseTokens,
  ratio: 'token',
  kl: 'none',
};
const toy = { hidden: 64, prompts: 32, draws: 8, length: task.maxResponseTokens };
const write = (line) => process.stdout.write(`${line}\n`);
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const spread = (values) => `${(1000 * Math.min(...values)).toFixed(0)}-${(1000 * Math.max(...values)).toFixed(0)}`;

/** The models, requests and options of a step of that size. Every response has the full length, so that work is equal. */
function setUp({ hidden, prompts, draws, length }) {
  const size = {
    model_type: 'qwen2',
    hidden_size: hidden,
    intermediate_size: 4 * hidden,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 4,
    initializer_range: 0.12,
  };
  const config = decoderConfig(size, task.vocabSize, 64 + length);
  const weights = initialWeights(config, stream(1, 'bench'));
  const pool = Array.from({ length: prompts }, (_, i) => task.trainingPool[i % task.trainingPool.length].promptTokens);
  const requests = Array.from({ length: prompts * draws }, (_, i) => ({
    prompt: pool[Math.floor(i / draws)],
    stream: [1, 'draw', i],
  }));
  return { config, weights, pool, requests, options: { maxTokens: length, temperature: 1, endTokens: new Set() } };
}

/** Seconds of each part of one step, which is one rollout, one scoring and two updates. */
async function step(compute, optimizer, { requests, options }) {
  const seconds = async (work) => {
    const started = performance.now();
    const result = await work();
    return [result, (performance.now() - started) / 1000];
  };
  const [drawn, sampling] = await seconds(() => compute.sample('policy', requests, options));
  const sequences = drawn.map(({ tokens }, i) => ({ prompt: requests[i].prompt, response: tokens }));
  const [, scoring] = await seconds(() => compute.score('reference', sequences, 1));
  const advantages = sequences.map((_, i) => (i % 2 === 0 ? 1 : -1));
  const half = sequences.length / 2;
  const [, update] = await seconds(async () => {
    for (const start of [0, half]) {
      const minibatch = {
        sequences: sequences.slice(start, start + half),
        oldLogprobs: drawn.slice(start, start + half).map(({ logprobs }) => logprobs),
        advantages: advantages.slice(start, start + half),
      };
      await updatePolicy(compute, optimizer, minibatch, 1e-5, objective, 1);
    }
  });
  return { sequences, advantages, times: { sampling, scoring, update, step: sampling + scoring + update } };
}

async function ours(setting, workers, repetitions) {
  const models = {
    policy: new Decoder(setting.config, setting.weights),
    reference: new Decoder(setting.config, setting.weights),
  };
  const compute = createCompute(models, workers);
  const optimizer = new AdamW(models.policy.trainable, optimizerOptions);
  const times = [];
  let last;
  for (let i = 0; i < repetitions + 2; i++) {
    last = await step(compute, optimizer, setting);
    if (i >= 2) times.push(last.times); // The first two warm up.
  }
  await compute.close();
  for (const item of [models.policy, models.reference, optimizer]) item.dispose();
  return { ...last, times };
}

function pytorch(setting, draws, sequences, advantages, threads, repetitions) {
  const half = sequences.length / 2;
  const plain = sequences.map(({ prompt, response }) => ({ prompt: [...prompt], response: [...response] }));
  const input = {
    config: setting.config,
    threads,
    prompts: setting.pool.map((prompt) => [...prompt]),
    draws,
    capacity: 64 + setting.options.maxTokens,
    lengths: plain.map(({ response }) => response.length),
    sequences: plain,
    advantages,
    minibatches: [0, half].map((start) => Array.from({ length: half }, (_, i) => start + i)),
    repetitions,
  };
  const { status, stdout, stderr } = spawnSync(python, [peer], {
    input: JSON.stringify(input),
    maxBuffer: 2 ** 28,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const report = JSON.parse(stdout);
  return report.sampling.map((sampling, i) => {
    const [scoring, update] = [report.scoring[i], report.update[i]];
    return { sampling, scoring, update, step: sampling + scoring + update, product: report.product[i] };
  });
}

/** GFLOP/s of the best of some products of 512 x 512 matrices in this thread. */
function peak() {
  const a = tf.ones([512, 512]);
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 20; i++) {
    const started = performance.now();
    tf.matMul(a, a).dispose();
    best = Math.min(best, performance.now() - started);
  }
  a.dispose();
  return (2 * 512 ** 3) / best / 1e6;
}

/** Ours and PyTorch's by turns, so that what else runs on the machine disturbs both alike. */
async function compare(size, threads) {
  const setting = setUp(size);
  const all = { ours: [], pytorch: [] };
  let sequences = [];
  for (let round = 0; round < rounds; round++) {
    const own = await ours(setting, threads, 3);
    sequences = own.sequences;
    all.ours.push(...own.times);
    if (hasTorch) all.pytorch.push(...pytorch(setting, size.draws, sequences, own.advantages, threads, 3));
  }
  const response = sequences.reduce((sum, s) => sum + s.response.length, 0);
  const tokens = sequences.reduce((sum, s) => sum + s.prompt.length + s.response.length, 0);
  const weights = [...setting.weights.values()].reduce((sum, w) => sum + w.length, 0);
  const work = { sampling: response, scoring: tokens, update: tokens, step: response };
  // Two operations a weight and token forward, four more backward.
  const operations = { sampling: 2 * tokens, scoring: 2 * tokens, update: 6 * tokens, step: 10 * tokens };
  return { all, work, flops: (part) => operations[part] * weights };
}

write(
  `${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.version}; medians of ${3 * rounds}, spread in ms`,
);
if (!hasTorch) write(`${python} has no torch, so there is no peer; set PYTHON to one that has.`);
const machinePeak = peak();
write(`product of 512 x 512 matrices, one thread of ours: ${machinePeak.toFixed(1)} GFLOP/s`);
const show = (value, digits = 0) => (Number.isFinite(value) ? value.toFixed(digits) : 'no torch');
for (const threads of flags.growth ? [] : [1, 2]) {
  const { all, work, flops } = await compare(toy, threads);
  const torchPeak = (2 * 512 ** 3) / Math.min(...all.pytorch.map(({ product }) => product)) / 1e9;
  write(`\n${threads} thread(s)${hasTorch ? ` each; PyTorch's product: ${show(torchPeak, 1)} GFLOP/s` : ''}`);
  write('part     | ours tokens/s (ms)     | PyTorch tokens/s (ms)  | ratio | share of our / its peak');
  for (const part of ['sampling', 'scoring', 'update', 'step']) {
    const [own, other] = [all.ours, all.pytorch].map((times) => times.map((time) => time[part]));
    const cell = (times) => (times.length ? `${show(work[part] / median(times))} (${spread(times)})` : 'no torch');
    const share = (times, gflops) => `${show((100 * flops(part)) / median(times) / gflops / 1e9)} %`;
    const ratio = other.length ? median(other) / median(own) : Number.NaN;
    write(
      `${part.padEnd(8)} | ${cell(own).padEnd(22)} | ${cell(other).padEnd(22)} | ${show(ratio, 2).padEnd(5)} | ${share(own, machinePeak * threads)} / ${other.length ? share(other, torchPeak) : '-'}`,
    );
  }
}

if (flags.growth) {
  write('\ngrowth, ms of sampling, scoring, two updates, whole step: ours / PyTorch');
  for (const [name, change] of [
    ['batch 64', { prompts: 8 }],
    ['length 80', { length: 80 }],
    ['width 128', { hidden: 128 }],
    ['width 256', { hidden: 256 }],
    ['batch 1024', { prompts: 128 }],
  ]) {
    for (const threads of [1, 2]) {
      const { all } = await compare({ ...toy, ...change }, threads);
      const cells = ['sampling', 'scoring', 'update', 'step'].map((part) => {
        const [own, other] = [all.ours, all.pytorch].map((times) => times.map((time) => 1000 * time[part]));
        return `${median(own).toFixed(0)} / ${other.length ? median(other).toFixed(0) : '-'}`;
      });
      write(`${name.padEnd(12)} ${threads} thread(s): ${cells.join(' | ')}`);
    }
  }
}
