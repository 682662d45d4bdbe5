/** The address of a server, in one form. */
export { endpointAddress } from './endpoint-address.js';
/** A model behind an OpenAI-compatible server, as a policy. */
export { type EndpointOptions, EndpointPolicy } from './endpoint-policy.js';
/** What a server was found to do. */
export type { Capabilities } from './probe.js';
/** The request that a draw becomes. */
export { FULL_DIALECT, type Route, requestBody } from './request-body.js';
