import { dataFolder, loadSet, manifestOf, readManifests, setPath } from '@capo/benchmarks';
import { Args } from '@oclif/core';
import { BaseCommand } from '../../base-command.js';
import { manifestsFolder } from '../../shipped-files.js';

export default class DataPath extends BaseCommand {
  static override summary = 'The file of a problem set on this machine.';

  static override description = 'One problem a line: { id, problem, answer }. Without a name, the folder of all sets.';

  static override examples = ['<%= config.bin %> data path math500', 'wc -l $(<%= config.bin %> data path math500)'];

  static override args = { set: Args.string({ description: 'name of a set' }) };

  async run(): Promise<unknown> {
    const { args } = await this.parse(DataPath);
    const folder = dataFolder();
    if (args.set === undefined) {
      this.log(folder);
      return { path: folder };
    }
    manifestOf(readManifests(manifestsFolder()), args.set);
    await loadSet(folder, args.set);
    const path = setPath(folder, args.set);
    this.log(path);
    return { path };
  }
}
