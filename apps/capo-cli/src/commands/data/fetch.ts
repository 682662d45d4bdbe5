import { dataFolder, fetchSet, manifestOf, type Provenance, readManifests, setPath } from '@capo/benchmarks';
import { ExternalError, InputError, stream } from '@capo/samples';
import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../../base-command.js';
import { interruptSignal } from '../../interrupt.js';
import { manifestsFolder } from '../../shipped-files.js';

export default class DataFetch extends BaseCommand {
  static override summary = 'Fetch problem sets, or take them from a local mirror.';

  static override description =
    `Each set is fetched with resume, read, checked problem by problem and compared with the hashes of its manifest before it is
kept. HF_ENDPOINT and HF_TOKEN are honoured for the hub, CAPO_CACHE for the folder. Without network, --from takes the
files from a folder.`;

  static override examples = [
    '<%= config.bin %> data fetch aime24 aime25 math500',
    '<%= config.bin %> data fetch all --from mirror/',
    '<%= config.bin %> data fetch deepscaler --accept-unverified',
  ];

  static override strict = false;

  static override args = { set: Args.string({ description: 'names of sets, or all', required: true }) };

  static override flags = {
    from: Flags.string({ description: 'a folder that holds the files' }),
    source: Flags.string({ description: 'only this source of the manifest' }),
    'accept-unverified': Flags.boolean({ description: 'take a set of which no hash is known as it comes' }),
    'max-retries': Flags.integer({ description: 'further attempts at a request', default: 5, min: 0 }),
  };

  async run(): Promise<unknown> {
    const { argv, flags } = await this.parse(DataFetch);
    const manifests = readManifests(manifestsFolder());
    const names = argv.includes('all') ? [...manifests.keys()] : (argv as string[]);
    const wanted = names.map((name) => manifestOf(manifests, name));
    const folder = dataFolder();
    const interrupt = interruptSignal((message) => this.note(message));
    const fetched: Provenance[] = [];
    const missing: string[] = [];
    try {
      for (const manifest of wanted) {
        try {
          const set = await fetchSet({
            manifest,
            folder,
            from: flags.from,
            source: flags.source,
            acceptUnverified: flags['accept-unverified'],
            download: async (url, { bytes, sha256, file }, path) => {
              const { fetchFile } = await import('@capo/model');
              this.note(`Fetching ${manifest.name} from ${url}`);
              const hash = sha256 === null ? null : ({ kind: 'sha256', value: sha256 } as const);
              await fetchFile(url, { name: file, bytes, hash }, path, {
                environment: process.env,
                maxRetries: flags['max-retries'],
                random: () => stream(flags.seed, 'fetch', manifest.name).uniform(),
                onNote: (message) => this.note(message),
                signal: interrupt.signal,
              });
            },
          });
          fetched.push(set);
          this.report(set, folder);
        } catch (error) {
          if (error instanceof ExternalError && flags.from === undefined) {
            this.note(`Without network: capo data fetch ${manifest.name} --from FOLDER, a folder that holds its file.`);
          }
          // Of "all", what a mirror does not hold or nobody can check is named at the end; the rest is still worth having.
          if (!argv.includes('all') || !(error instanceof InputError)) throw error;
          missing.push(manifest.name);
          this.note(`${manifest.name}: ${error.message}`);
        }
      }
    } finally {
      interrupt.release();
    }
    if (fetched.length === 0) throw new InputError('No problem set could be had.', 'capo data list shows their names.');
    return { folder, fetched, missing };
  }

  private report({ set, problems, verified, findings }: Provenance, folder: string): void {
    const how = {
      file: 'by its hash',
      content: 'by the hash of its problems',
      accepted: 'not verified, accepted as it came',
    };
    this.log(
      `${set}: ${problems} problems, verified ${how[verified]}; ${setPath(folder, set)}`.replace('verified not', 'not'),
    );
    for (const { id, severity, message } of findings.slice(0, 10)) this.log(`  ${severity} ${set}/${id}: ${message}`);
    if (findings.length > 10) this.log(`  and ${findings.length - 10} more (--json lists all)`);
  }
}
