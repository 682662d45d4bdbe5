import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ExternalError } from '@capo/samples';

/**
 * A folder that the build copies next to the code, or the repository's own where there is no copy.
 *
 * @throws ExternalError when an installation lacks it
 */
function shippedFolder(copy: string, original: string): string {
  for (const path of [copy, original]) {
    const folder = fileURLToPath(new URL(path, import.meta.url));
    if (existsSync(folder)) return folder;
  }
  throw new ExternalError(`The installation has no folder ${copy}.`, 'Build it again: npm run build');
}

/** The pages of the methods. */
export function methodPagesFolder(): string {
  return shippedFolder('./methods', '../../../docs/methods');
}

/** The manifests of the problem sets. */
export function manifestsFolder(): string {
  return shippedFolder('./benchmarks', '../../../data/benchmarks');
}
