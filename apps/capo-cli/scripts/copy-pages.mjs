// Copies docs/methods into the build, so that `capo explain` finds its pages in an installed package too.
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
rmSync(at('../dist/methods'), { recursive: true, force: true });
cpSync(at('../../../docs/methods'), at('../dist/methods'), { recursive: true });
