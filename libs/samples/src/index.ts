/** Errors for people, with the exit code that each means. */
export * from './errors.js';

/** Seeded random streams, one per purpose. */
export * from './random.js';

/** Strict JSON, canonical hashes. */
export * from './json.js';

/** Whole files, written completely or not at all. */
export * from './atomic-write.js';

/** Configuration checked against a schema, with suggestions for misspelt keys. */
export * from './config.js';

/** JSONL files: streaming reader, appending writer, repair of a cut-off tail. */
export * from './jsonl.js';

/** The sample record: the one interchange format; files of samples. */
export * from './sample.js';
export * from './sample-file.js';

/** Run folders and their manifests; a folder locked for one process. */
export * from './run-folder.js';
export * from './folder-lock.js';
