// Copies what commands read into the build, so that an installed package has it too.
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
for (const [from, to] of [
  ['../../../docs/methods', '../dist/methods'],
  ['../../../data/benchmarks', '../dist/benchmarks'],
]) {
  rmSync(at(to), { recursive: true, force: true });
  cpSync(at(from), at(to), { recursive: true });
}
