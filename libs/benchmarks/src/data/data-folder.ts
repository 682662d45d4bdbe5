import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Where fetched problem sets are kept: `CAPO_CACHE`, or the folder that the platform has for caches (XDG_CACHE_HOME or
 * ~/.cache, ~/Library/Caches, %LOCALAPPDATA%).
 */
export function dataFolder(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  if (environment.CAPO_CACHE) return join(environment.CAPO_CACHE, 'benchmarks');
  const home = homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'capo', 'benchmarks');
  if (platform === 'win32')
    return join(environment.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'capo', 'benchmarks');
  return join(environment.XDG_CACHE_HOME || join(home, '.cache'), 'capo', 'benchmarks');
}
