import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ExternalError } from './errors.js';
import { lockFolder } from './folder-lock.js';

let folder: string;
let children: ChildProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capo-lock-'));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

const lockPath = () => join(folder, 'lock.json');

/** Another process (of the build) that locks the folder, says how that went, and stays until its input ends. */
async function otherProcess(): Promise<{ child: ChildProcess; said: string }> {
  const code = `import { lockFolder } from '@capo/samples';
    try { lockFolder(process.argv[1]); console.log('locked'); } catch (error) { console.log(error.message); }
    process.stdin.resume().on('end', () => process.exit());`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, folder], {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  children.push(child);
  const [data] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { child, said: String(data).trim() };
}

describe('lockFolder', () => {
  it('refuses a second process and says which one holds the folder, until that one exits', async () => {
    const { child, said } = await otherProcess();
    expect(said).toBe('locked');
    expect(() => lockFolder(folder)).toThrow(`in use by process ${child.pid} on ${hostname()}`);
    expect(() => lockFolder(folder)).toThrow(ExternalError);
    child.stdin?.end();
    await once(child, 'exit');
    expect(existsSync(lockPath())).toBe(false);
    lockFolder(folder)();
  });

  it('takes over the lock of a killed process', async () => {
    const { child } = await otherProcess();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(lockPath())).toBe(true);
    const release = lockFolder(folder);
    expect(JSON.parse(readFileSync(lockPath(), 'utf8')).pid).toBe(process.pid);
    expect((await otherProcess()).said).toContain(`in use by process ${process.pid}`);
    release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('lets exactly one of several processes take a stale lock over', async () => {
    const { child } = await otherProcess();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const said = (await Promise.all([1, 2, 3].map(otherProcess))).map((other) => other.said);
    expect(said.filter((text) => text === 'locked')).toHaveLength(1);
  });

  it('refuses this process a second lock, and takes that of an earlier process with the same pid over', () => {
    const release = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(`in use by process ${process.pid}`);
    const held = JSON.parse(readFileSync(lockPath(), 'utf8'));
    release();
    writeFileSync(lockPath(), JSON.stringify({ ...held, started: held.started - 60_000 }));
    lockFolder(folder)();
  });

  it('believes a process of another host, and says which file to remove', () => {
    const lock = { pid: 1, host: `not-${hostname()}`, started: 0, since: '2026-01-01T00:00:00.000Z' };
    writeFileSync(lockPath(), JSON.stringify(lock));
    let error: unknown;
    try {
      lockFolder(folder);
    } catch (caught) {
      error = caught;
    }
    expect((error as ExternalError).remedy).toContain(`remove ${lockPath()}`);
  });

  it.each(['', '{"pid": 1', '[]'])('takes a lock that names no process (%j) over', (text) => {
    writeFileSync(lockPath(), text);
    lockFolder(folder)();
    expect(readdirSync(folder)).toEqual([]);
  });
});
