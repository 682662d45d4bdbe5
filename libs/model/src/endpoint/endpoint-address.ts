import { InputError } from '@capo/samples';

/**
 * The address below which the routes of an OpenAI-compatible server lie, ending in a slash. A bare host gets the usual
 * `/v1/`; an address of a route itself, such as `/v1/chat/completions`, is cut back to its base.
 *
 * @throws InputError for what is no http address, or one with a password in it, which would end up in manifests
 */
export function endpointAddress(text: string): URL {
  let url: URL;
  try {
    url = new URL(text.includes('://') ? text : `http://${text}`);
  } catch {
    throw new InputError(`--endpoint: "${text}" is not an address.`, 'Give one such as http://localhost:8000/v1.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InputError(`--endpoint: "${url.protocol}" is not supported.`, 'Give an http or https address.');
  }
  if (url.username || url.password || url.search) {
    throw new InputError(
      '--endpoint: an address with a user, a password or a query is not accepted, since it is written to the manifest.',
      'Put the key into the environment variable CAPO_API_KEY.',
    );
  }
  url.hash = '';
  url.pathname = url.pathname.replace(/\/(chat\/)?completions\/?$/, '').replace(/\/*$/, '/');
  if (url.pathname === '/') url.pathname = '/v1/';
  return url;
}
