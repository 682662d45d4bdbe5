import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { threadId } from 'node:worker_threads';
import { z } from 'zod';
import { ExternalError, fileError } from './errors.js';

const LOCK_FILE = 'lock.json';

const holderSchema = z.object({
  pid: z.int().positive(),
  host: z.string(),
  /** When the process started, in milliseconds since 1970: tells a process from an earlier one with the same pid. */
  started: z.number(),
  /** When the folder was locked. */
  since: z.string(),
});
type Holder = z.infer<typeof holderSchema>;

/** Clocks are adjusted while a process runs, so its start is known to that many milliseconds. */
const START_TOLERANCE = 5000;

let made = 0;

/**
 * Locks a folder for this process: a file in it names the process and its host. The lock of a process of this host that
 * no longer runs, killed ones too, is taken over. The lock goes when the process (or worker thread) exits, or earlier
 * by the returned function, which may be called more than once.
 *
 * @throws ExternalError naming the process that holds the folder; one on another host cannot be looked at and is
 * believed to run
 */
export function lockFolder(folder: string): () => void {
  const path = `${folder}/${LOCK_FILE}`;
  const temporary = `${folder}/.${LOCK_FILE}.${process.pid}.${threadId}.${made++}`;
  const since = new Date().toISOString();
  const started = processStart();
  const text = `${JSON.stringify({ pid: process.pid, host: hostname(), started, since } satisfies Holder)}\n`;
  try {
    writeFileSync(temporary, text);
    // A link appears with its whole content or not at all, so nobody reads half a lock.
    while (!link(temporary, path)) takeOver(path, `${temporary}.stale`, folder);
  } catch (error) {
    throw fileError(error, 'lock', folder);
  } finally {
    rmSync(temporary, { force: true });
  }
  const release = () => {
    process.off('exit', release);
    if (read(path) === text) rmSync(path, { force: true });
  };
  process.on('exit', release);
  return release;
}

/** Whether the link was made; false when there is a file of that name. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock if its holder is gone. @throws ExternalError if it is not */
function takeOver(path: string, aside: string, folder: string): void {
  const seen = read(path);
  if (seen === undefined) return;
  refuseLive(seen, path, folder);
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  // Between reading and renaming another process may have taken the stale lock over; then it gets its lock back.
  if (read(aside) !== seen) link(aside, path);
  rmSync(aside, { force: true });
}

function refuseLive(text: string, path: string, folder: string): void {
  const holder = parse(text);
  if (!holder) return;
  const elsewhere = holder.host !== hostname();
  if (!elsewhere && !runs(holder)) return;
  throw new ExternalError(
    `${folder} is in use by process ${holder.pid} on ${holder.host} since ${holder.since}.`,
    elsewhere
      ? `Wait for it, or choose another folder with --runs. If that process is gone, remove ${path}.`
      : 'Wait for it, stop it, or choose another folder with --runs.',
  );
}

function runs({ pid, started }: Holder): boolean {
  if (pid === process.pid) return Math.abs(started - processStart()) < START_TOLERANCE;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function processStart(): number {
  return Math.round(Date.now() - 1000 * process.uptime());
}

/** The holder that a lock names; undefined when it cannot be read, as after a crash of the machine. */
function parse(text: string): Holder | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
