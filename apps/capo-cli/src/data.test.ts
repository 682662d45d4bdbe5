import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCapo } from './testing/run-capo.js';

const MIRROR = fileURLToPath(new URL('../../../../shared/data/benchmarks', import.meta.url));

let cache: string;
const capo = (...args: string[]) =>
  runCapo(['data', ...args], { CAPO_CACHE: cache, HF_ENDPOINT: 'http://127.0.0.1:9' });
beforeAll(() => {
  cache = mkdtempSync(join(tmpdir(), 'capo-data-cli-'));
});
afterAll(() => rmSync(cache, { recursive: true }));

describe('capo data', () => {
  it('lists the sets, and says what is missing and how to get it', async () => {
    const list = await capo('list', '--json');
    expect(JSON.parse(list.stdout).sets).toContainEqual(expect.objectContaining({ name: 'math500', verified: null }));
    const path = await capo('path', 'math500');
    expect(path.code).toBe(2);
    expect(path.stderr).toContain('capo data fetch math500 --from FOLDER');
    const typo = await capo('path', 'math50');
    expect(typo.stderr).toContain('Did you mean "math500"');
  });

  it('says that the network is not there, and what to do, with exit code 3', async () => {
    const { code, stderr } = await capo('fetch', 'math500', '--source', 'hub', '--max-retries', '0');
    expect(code).toBe(3);
    expect(stderr).toContain('Without network: capo data fetch math500 --from FOLDER');
  });

  it('refuses a set of which no hash is known', async () => {
    const { code, stderr } = await capo('fetch', 'deepscaler');
    expect(code).toBe(2);
    expect(stderr).toContain('--accept-unverified');
  });

  it.skipIf(!existsSync(MIRROR))(
    'takes sets from a mirror, and verifies them (skipped without ../shared)',
    async () => {
      const fetched = await capo('fetch', 'aime25', 'amc23', '--from', MIRROR);
      expect(fetched.code).toBe(0);
      expect(fetched.stdout).toContain('mended aime25/18: the problem had control characters');
      const path = (await capo('path', 'amc23')).stdout.trim();
      expect(readFileSync(path, 'utf8').split('\n').filter(Boolean)).toHaveLength(40);
      expect((await capo('verify')).stdout).toContain('aime25: 30 problems, as they should be');
    },
  );
});
