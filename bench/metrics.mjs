// AUC, a 15-bin ECE and the precision-coverage curve of n (score, label) pairs, in ours and in scikit-learn/NumPy.
//
//   npm run bench:metrics              n = 1e4 .. 1e7
//   PYTHON=venv/bin/python npm run bench:metrics
//
// Every measurement is a process of its own: seconds of the fastest of three repetitions without making the input, and
// the peak of the process's memory less that of a process that only makes the input.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  aucOfRanked,
  calibrationErrorOfRanked,
  precisionCoverageOfRanked,
  rankScores,
} from '@capo/calibration-metrics';

const SIZES = [1e4, 1e5, 1e6, 1e7];
const here = fileURLToPath(import.meta.url);

/** Scores with ties (multiples of 2^-20) and labels that are right as often as the score says. */
function makeInput(n) {
  const scores = new Float64Array(n);
  const labels = new Uint8Array(n);
  let state = 12345;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  for (let i = 0; i < n; i++) {
    scores[i] = Math.floor(next() * 2 ** 20) / 2 ** 20;
    labels[i] = next() < scores[i] ? 1 : 0;
  }
  return { scores, labels };
}

function measure(n, work) {
  const { scores, labels } = makeInput(n);
  let seconds = Number.POSITIVE_INFINITY;
  let results = null;
  for (let repetition = 0; work && repetition < 3; repetition++) {
    const started = performance.now();
    const ranked = rankScores(scores, labels);
    const auc = aucOfRanked(ranked).value;
    const ece = calibrationErrorOfRanked('expected', ranked).value;
    const { precision } = precisionCoverageOfRanked(ranked);
    seconds = Math.min(seconds, (performance.now() - started) / 1000);
    results = { auc, ece, points: precision.length };
  }
  return { seconds, results, peakMiB: process.resourceUsage().maxRSS / 1024 };
}

function inOwnProcess(command, args) {
  return JSON.parse(execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}

function python(n, mode) {
  const script = fileURLToPath(new URL('metrics_sklearn.py', import.meta.url));
  try {
    return inOwnProcess(process.env.PYTHON ?? 'python3', [script, String(n), mode]);
  } catch {
    return null;
  }
}

if (process.argv[2]) {
  process.stdout.write(JSON.stringify(measure(Number(process.argv[2]), process.argv[3] === 'work')));
} else {
  process.stdout.write('n          ours: s, MiB over input      scikit-learn: s, MiB over input   ratio of seconds\n');
  for (const n of SIZES) {
    const run = (mode) => inOwnProcess(process.execPath, [here, String(n), mode]);
    const [ours, input] = [run('work'), run('input')];
    const [theirs, theirInput] = [python(n, 'work'), python(n, 'input')];
    const over = (a, b) => Math.max(0, a.peakMiB - b.peakMiB).toFixed(0);
    const inputMiB = (9 * n) / 2 ** 20;
    let line =
      `${n.toExponential(0).padEnd(10)} ${ours.seconds.toFixed(4)}, ${over(ours, input)} (input ${inputMiB.toFixed(1)})`.padEnd(
        42,
      );
    if (theirs) {
      line += `${theirs.seconds.toFixed(4)}, ${over(theirs, theirInput)}`.padEnd(34);
      line += `${(theirs.seconds / ours.seconds).toFixed(2)}`;
      if (
        Math.abs(theirs.results.auc - ours.results.auc) > 1e-9 ||
        Math.abs(theirs.results.ece - ours.results.ece) > 1e-9
      ) {
        line += `  DIFFERENT RESULTS: ${JSON.stringify([ours.results, theirs.results])}`;
      }
    } else line += 'no Python with scikit-learn';
    process.stdout.write(`${line}\n`);
  }
}
