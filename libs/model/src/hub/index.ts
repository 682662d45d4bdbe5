/** Where models lie on this machine. */
export { type HubEnvironment, localModel } from './hub-paths.js';
/** Models from the hub. */
export { type PulledModel, type PullOptions, pullModel } from './pull-model.js';
/** Any file of the web, fetched in the same way. */
export { type FetchFileOptions, fetchFile } from './fetch-file.js';
export type { ExpectedFile } from './download-file.js';
