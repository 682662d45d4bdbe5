import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fetchFile } from './fetch-file.js';

const DATA = Buffer.from('{"problem":"1+1","answer":"2"}\n'.repeat(2000));
const SHA256 = createHash('sha256').update(DATA).digest('hex');

let folder: string;
let server: Server;
let address: string;
/** What the server does with the next requests; then it behaves. */
let faults: ('drop' | 'busy' | 'gone')[];
let seen: { range: string | undefined; authorization: string | undefined }[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'capo-fetch-'));
  faults = [];
  seen = [];
  server = createServer((request, response) => {
    seen.push({ range: request.headers.range, authorization: request.headers.authorization });
    if (request.url === '/moved.jsonl') {
      response.writeHead(302, { location: '/set.jsonl' }).end();
      return;
    }
    const fault = request.url === '/set.jsonl' ? faults.shift() : 'gone';
    if (fault === 'busy') response.writeHead(429, { 'retry-after': '0' }).end();
    else if (fault === 'gone') response.writeHead(404).end('<html>not here</html>');
    else {
      const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const range = start > 0 ? { 'content-range': `bytes ${start}-${DATA.length - 1}/${DATA.length}` } : {};
      response.writeHead(start > 0 ? 206 : 200, { 'content-length': DATA.length - start, ...range });
      if (fault === 'drop')
        response.write(DATA.subarray(start, start + 9000), () => setTimeout(() => request.socket.destroy(), 20));
      else response.end(DATA.subarray(start));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const known = { name: 'set.jsonl', bytes: DATA.length, hash: { kind: 'sha256' as const, value: SHA256 } };
const options = () => ({ environment: { HF_ENDPOINT: address, HF_TOKEN: 'secret' }, random: () => 0, maxRetries: 3 });
const target = () => join(folder, 'set.jsonl');

it('goes on where a broken download ended, and leaves no part behind', async () => {
  faults = ['drop', 'busy'];
  expect(await fetchFile(`${address}/set.jsonl`, known, target(), options())).toBe(true);
  expect(readFileSync(target()).equals(DATA)).toBe(true);
  expect(seen[2].range).toMatch(/^bytes=[1-9]\d*-$/);
  expect(readdirSync(folder)).toEqual(['set.jsonl']);
  expect(await fetchFile(`${address}/set.jsonl`, known, target(), options())).toBe(false);
});

it('fetches a file of which nothing is known beforehand, also below the hub and after a redirection', async () => {
  faults = ['drop'];
  await fetchFile('moved.jsonl', { name: 'set.jsonl', bytes: null, hash: null }, target(), options());
  expect(readFileSync(target()).equals(DATA)).toBe(true);
});

it('gives the token to the hub alone', async () => {
  await fetchFile('set.jsonl', known, target(), options());
  expect(seen[0].authorization).toBe('Bearer secret');
  const elsewhere = { ...options(), environment: { HF_ENDPOINT: 'http://127.0.0.1:9', HF_TOKEN: 'secret' } };
  await fetchFile(`${address}/set.jsonl`, known, join(folder, 'again.jsonl'), elsewhere);
  expect(seen[1].authorization).toBeUndefined();
});

it('says what is wrong with a file that is not there, of another size, or of another hash', async () => {
  await expect(fetchFile(`${address}/nothing.jsonl`, known, target(), options())).rejects.toThrow('no such');
  await expect(fetchFile(`${address}/set.jsonl`, { ...known, bytes: 10 }, target(), options())).rejects.toThrow(
    '10 bytes',
  );
  const other = { ...known, hash: { kind: 'sha256' as const, value: 'f'.repeat(64) } };
  await expect(fetchFile(`${address}/set.jsonl`, other, target(), options())).rejects.toThrow('another hash');
  expect(readdirSync(folder)).toEqual([]);
});
