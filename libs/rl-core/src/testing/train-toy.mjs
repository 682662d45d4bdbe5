// One life of a training run, for tests that kill it: goes on with the run that the input file describes.
import { readFileSync } from 'node:fs';
import { useBackend } from '@capo/model';
import { loadWeights, toyPolicySource, toyTask, trainPolicy } from '@capo/rl-core';
import { RunFolder } from '@capo/samples';

const { root, config, base, seed } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
await useBackend('wasm');
const folder = RunFolder.open(root, 'train', config, seed, 'wasm');
const task = toyTask(config.base.task);
process.stdout.write('begun\n');
if (!folder.finished)
  await trainPolicy(folder, config, task, toyPolicySource(config.base, task, loadWeights(base), seed));
