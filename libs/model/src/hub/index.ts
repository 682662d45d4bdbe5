/** Where models lie on this machine. */
export { type HubEnvironment, localModel } from './hub-paths.js';
/** Models from the hub. */
export { type PulledModel, type PullOptions, pullModel } from './pull-model.js';
