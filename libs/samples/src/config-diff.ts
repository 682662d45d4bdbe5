/** How two configurations differ, one line for each value: `train.steps: 100, was 240`. */
export function configDifferences(was: unknown, is: unknown): string[] {
  const [before, after] = [flatten(was), flatten(is)];
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path}: ${after.get(path) ?? 'not given'}, was ${before.get(path) ?? 'not given'}`);
}

/** The values of a configuration as JSON, by the path of their keys. */
function flatten(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (value === null || typeof value !== 'object') into.set(path, JSON.stringify(value));
  else for (const [key, part] of Object.entries(value)) flatten(part, path === '' ? key : `${path}.${key}`, into);
  return into;
}
