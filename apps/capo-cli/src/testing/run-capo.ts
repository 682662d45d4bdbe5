import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/run.js', import.meta.url));

/** What a finished process said. */
export interface CapoResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A running `capo`, from the build, with its output collected. */
export interface CapoProcess {
  child: ChildProcess;
  result: Promise<CapoResult>;
  /** Resolves when stderr holds that text. */
  says(text: string): Promise<void>;
}

/** Starts `capo` with these arguments in a process of its own. */
export function startCapo(args: readonly string[], env: Record<string, string> = {}): CapoProcess {
  const child = spawn(process.execPath, [BIN, ...args], { env: { ...process.env, ...env } });
  let stdout = '';
  let stderr = '';
  const waiting: { text: string; resolve: () => void }[] = [];
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
    for (const { text, resolve } of waiting) if (stderr.includes(text)) resolve();
  });
  return {
    child,
    result: new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr }))),
    says: (text) =>
      new Promise((resolve) => {
        if (stderr.includes(text)) resolve();
        else waiting.push({ text, resolve });
      }),
  };
}

/** Runs `capo` to its end. */
export function runCapo(args: readonly string[], env: Record<string, string> = {}): Promise<CapoResult> {
  return startCapo(args, env).result;
}
