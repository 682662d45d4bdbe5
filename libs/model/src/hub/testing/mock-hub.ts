import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const MOCK_COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** What happens to a request for a file. */
export type HubFault =
  | { kind: 'status'; status: number; headers?: Record<string, string> }
  /** The connection breaks after so many bytes. */
  | { kind: 'break'; after: number }
  /** A partial answer is asked for, and the whole file comes. */
  | { kind: 'ignore-range' }
  /** The wanted range is answered from another place. */
  | { kind: 'wrong-range' }
  | { kind: 'corrupt' }
  | { kind: 'stall' };

interface Seen {
  path: string;
  range: string | undefined;
  authorization: string | undefined;
}

/** A hub on the loopback address with one model; large files lie on a storage server of its own, as on the real one. */
export class MockHub {
  readonly seen: Seen[] = [];
  readonly seenByStorage: Seen[] = [];
  /** Faults of the next requests for a file, in their order. */
  readonly faults = new Map<string, HubFault[]>();
  /** Changes the listing, as JSON. */
  editListing: (listing: { siblings: Record<string, unknown>[] }) => unknown = (listing) => listing;

  private constructor(
    readonly files: Map<string, Buffer>,
    private readonly hub: Server,
    private readonly storage: Server,
  ) {
    hub.on('request', (request, response) => this.answer(request, response));
    storage.on('request', (request, response) => {
      this.seenByStorage.push(note(request));
      this.sendFile(request, response, decodeURIComponent((request.url ?? '').slice(1)));
    });
  }

  static async start(files: Record<string, Buffer>): Promise<MockHub> {
    const servers = [createServer(), createServer()];
    for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new MockHub(new Map(Object.entries(files)), servers[0], servers[1]);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.hub.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const server of [this.hub, this.storage]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    this.seen.push(note(request));
    const path = decodeURIComponent(request.url ?? '');
    if (path.startsWith('/api/models/owner/model/revision/main')) {
      const siblings = [...this.files].map(([rfilename, data]) => listed(rfilename, data));
      response.end(JSON.stringify(this.editListing({ siblings, sha: MOCK_COMMIT } as never)));
      return;
    }
    const prefix = `/owner/model/resolve/${MOCK_COMMIT}/`;
    const name = path.slice(prefix.length);
    if (!path.startsWith(prefix) || !this.files.has(name)) {
      response.writeHead(404).end();
    } else if (isLarge(name)) {
      const port = (this.storage.address() as AddressInfo).port;
      response.writeHead(302, { location: `http://127.0.0.1:${port}/${encodeURIComponent(name)}` }).end();
    } else {
      this.sendFile(request, response, name);
    }
  }

  private sendFile(request: IncomingMessage, response: ServerResponse, name: string): void {
    const data = this.files.get(name) as Buffer;
    const fault = this.faults.get(name)?.shift();
    if (fault?.kind === 'status') {
      response.writeHead(fault.status, fault.headers).end();
      return;
    }
    const wanted = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const start = fault?.kind === 'ignore-range' ? 0 : fault?.kind === 'wrong-range' ? wanted + 1 : wanted;
    const body = Buffer.from(data.subarray(start));
    if (fault?.kind === 'corrupt') body[body.length - 1] ^= 1;
    const range = start > 0 ? { 'content-range': `bytes ${start}-${data.length - 1}/${data.length}` } : {};
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': body.length, ...range });
    if (fault?.kind === 'break') response.write(body.subarray(0, fault.after), () => request.socket.destroy());
    else if (fault?.kind === 'stall') response.write(body.subarray(0, 10));
    else response.end(body);
  }
}

function isLarge(name: string): boolean {
  return name.endsWith('.safetensors') || name.endsWith('.gguf');
}

function listed(rfilename: string, data: Buffer): Record<string, unknown> {
  const sha256 = createHash('sha256').update(data).digest('hex');
  if (isLarge(rfilename)) return { rfilename, size: data.length, lfs: { sha256, size: data.length } };
  const blobId = createHash('sha1').update(`blob ${data.length}\0`).update(data).digest('hex');
  return { rfilename, size: data.length, blobId };
}

function note(request: IncomingMessage): Seen {
  return {
    path: request.url ?? '',
    range: request.headers.range,
    authorization: request.headers.authorization,
  };
}
