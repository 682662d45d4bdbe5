/** Errors for people, with the exit code that each means. */

/** Whole files, written completely or not at all. */
export * from './atomic-write.js';
/** Configuration checked against a schema, with suggestions for misspelt keys. */
export * from './config.js';
export * from './errors.js';
/** Strict JSON, canonical hashes. */
export * from './json.js';
/** JSONL files: streaming reader, appending writer, repair of a cut-off tail. */
export * from './jsonl.js';
/** Seeded random streams, one per purpose. */
export * from './random.js';
/** Run folders and their manifests. */
export * from './run-folder.js';
/** The sample record: the one interchange format. */
export * from './sample.js';
/** Files of samples. */
export * from './sample-file.js';
