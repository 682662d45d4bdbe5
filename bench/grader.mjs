// How many pairs of answers the grader judges in a second on one core, and whether its memory stays flat.
//
//   npm run bench:grader [-- --pairs 1000000]
//
// Simple pairs are numbers as GSM8K and AIME have them, in replies as short as "The answer is 42."; LaTeX pairs are
// fractions, roots, sets, intervals, matrices and expressions that only random points can compare. `library` judges in
// this thread, `grader` through the thread that can be killed, with the cost of handing replies over.

import { parseArgs } from 'node:util';
import { judge, mathGrader } from '@capo/benchmarks';
import { stream } from '@capo/samples';

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '1000000' } } });
const random = stream(1, 'bench', 'grader');

function simple() {
  const gold = random.integer(100_000);
  const answer = random.uniform() < 0.5 ? gold : random.integer(100_000);
  const forms = [
    `The answer is ${answer}.`,
    `so $\\boxed{${answer}}$`,
    `#### ${answer.toLocaleString('en-US')}`,
    `It costs $${answer}.00 in all.`,
  ];
  return { gold: String(gold), response: forms[random.integer(forms.length)] };
}

function latex() {
  const [a, b, c] = [1, 2, 3].map(() => 2 + random.integer(97));
  const pairs = [
    [`\\frac{${a}}{${b}}`, `\\dfrac{${a * c}}{${b * c}}`],
    [`${a}\\sqrt{${b}}`, `\\sqrt{${a * a * b}}`],
    [
      `\\left(-\\infty, \\frac{${a}}{${b}}\\right) \\cup (${c + 100}, \\infty)`,
      `(-\\infty,${a}/${b})\\cup(${c + 100},\\infty)`,
    ],
    [`\\{${a}, ${b}\\}`, `\\left\\{${b},\\ ${a}\\right\\}`],
    [
      `\\begin{pmatrix} ${a} & ${b} \\\\ ${c} & 1 \\end{pmatrix}`,
      `\\begin{bmatrix}${a}&${b}\\\\${c}&${a}\\end{bmatrix}`,
    ],
    [`x^2 - ${a + b}x + ${a * b}`, `(x - ${a})(x - ${b})`],
    [`\\frac{x + ${a}}{\\sqrt{x}}`, `\\sqrt{x} + \\frac{${a}}{\\sqrt{x}}`],
    [`\\sin ${a}t`, `2 \\sin\\frac{${a}t}{2} \\cos\\frac{${a}t}{2}`],
    [`${a} \\pm ${b}\\sqrt{${c}}`, `${a} - ${b}\\sqrt{${c}}, ${a} + ${b}\\sqrt{${c}}`],
    [`y = ${a}x + ${b}`, `${b} + ${a}x`],
  ];
  const [gold, answer] = pairs[random.integer(pairs.length)];
  return { gold, response: `Therefore $\\boxed{${answer}}$.` };
}

function report(what, pairs, seconds) {
  process.stdout.write(
    `${what.padEnd(28)} ${Math.round(pairs / seconds)
      .toLocaleString('en-US')
      .padStart(10)} pairs/s\n`,
  );
}

async function measure(name, make, pairs) {
  const requests = Array.from({ length: pairs }, make);
  for (const request of requests.slice(0, 2000)) judge(request);
  let start = performance.now();
  for (const request of requests) judge(request);
  report(`${name}, library`, pairs, (performance.now() - start) / 1000);
  const grader = mathGrader();
  await grader.grade(requests.slice(0, 2000));
  start = performance.now();
  await grader.grade(requests);
  report(`${name}, grader`, pairs, (performance.now() - start) / 1000);
  await grader.close();
}

await measure('simple', simple, 100_000);
await measure('LaTeX', latex, 20_000);

process.stdout.write('\nmemory while judging, a third of the pairs in LaTeX\n');
const total = Number(values.pairs);
for (let done = 0; done <= total; done++) {
  if (done % (total / 5) === 0) {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    process.stdout.write(
      `${done.toLocaleString('en-US').padStart(10)} pairs  rss ${Math.round(rss / 2 ** 20)} MiB  heap ${Math.round(heapUsed / 2 ** 20)} MiB\n`,
    );
  }
  judge(done % 3 === 0 ? latex() : simple());
}
