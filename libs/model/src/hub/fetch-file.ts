import { downloadFile, type ExpectedFile } from './download-file.js';
import { HubClient, type HubClientOptions } from './hub-client.js';
import { type HubEnvironment, hubEndpoint } from './hub-paths.js';

export interface FetchFileOptions extends Pick<HubClientOptions, 'random' | 'onNote' | 'signal'> {
  environment: HubEnvironment;
  maxRetries?: number | undefined;
  stallSeconds?: number | undefined;
  /** Called with the number of bytes as they arrive. */
  onBytes?: ((bytes: number) => void) | undefined;
}

/**
 * Fetches one file of the web to a path: continued by range after a failure, with size and hash checked where they are
 * known, and put in its place when it is complete. The token of the hub goes to the hub only.
 *
 * @param url http or https; a path without a host is one below the hub's address
 * @returns whether bytes had to be fetched
 */
export function fetchFile(url: string, file: ExpectedFile, path: string, options: FetchFileOptions): Promise<boolean> {
  const { environment, random, onNote, signal } = options;
  const hub = hubEndpoint(environment);
  const address = new URL(url, `${hub}/`);
  const isOfHub = address.href.startsWith(`${hub}/`);
  const client = new HubClient({
    endpoint: address.origin,
    token: isOfHub ? environment.HF_TOKEN : undefined,
    maxRetries: options.maxRetries ?? 5,
    stallSeconds: options.stallSeconds ?? 60,
    random,
    onNote,
    signal,
  });
  return downloadFile(client, address.pathname.slice(1) + address.search, file, path, options.onBytes ?? (() => {}));
}
