import { dataFolder, manifestOf, provenanceOf, readManifests, verifySet } from '@capo/benchmarks';
import { InputError } from '@capo/samples';
import { Args } from '@oclif/core';
import { BaseCommand } from '../../base-command.js';
import { manifestsFolder } from '../../shipped-files.js';

export default class DataVerify extends BaseCommand {
  static override summary = 'Check the problem sets of this machine against their manifests.';

  static override description = 'Without names, all that are here. Exit code 3 when a set differs.';

  static override examples = ['<%= config.bin %> data verify', '<%= config.bin %> data verify math500'];

  static override strict = false;

  static override args = { set: Args.string({ description: 'names of sets' }) };

  async run(): Promise<unknown> {
    const { argv } = await this.parse(DataVerify);
    const manifests = readManifests(manifestsFolder());
    const folder = dataFolder();
    const names =
      argv.length > 0 ? (argv as string[]) : [...manifests.keys()].filter((name) => provenanceOf(folder, name));
    if (names.length === 0)
      throw new InputError(`There is no problem set in ${folder}.`, 'Fetch some: capo data fetch aime24');
    const verified: { set: string; problems: number; contentSha256: string }[] = [];
    for (const name of names) {
      const found = await verifySet(folder, manifestOf(manifests, name));
      verified.push({ set: name, ...found });
      this.log(`${name}: ${found.problems} problems, as they should be`);
    }
    return { folder, verified };
  }
}
