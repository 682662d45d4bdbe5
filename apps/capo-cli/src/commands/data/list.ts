import { dataFolder, provenanceOf, readManifests } from '@capo/benchmarks';
import { BaseCommand } from '../../base-command.js';
import { manifestsFolder } from '../../shipped-files.js';

export default class DataList extends BaseCommand {
  static override summary = 'The problem sets that are known, and which of them are on this machine.';

  static override description = 'docs/benchmarks.md says where each comes from and how it is checked.';

  static override examples = ['<%= config.bin %> data list', '<%= config.bin %> data list --json'];

  async run(): Promise<unknown> {
    await this.parse(DataList);
    const { renderText } = await import('@capo/paper');
    const folder = dataFolder();
    const sets = [...readManifests(manifestsFolder()).values()].map(({ name, title, use, problems, licence }) => {
      const here = provenanceOf(folder, name);
      return { name, title, use, problems, licence, verified: here?.verified ?? null };
    });
    const rows = sets.map(({ name, title, use, problems, licence, verified }) => [
      name,
      title,
      use,
      problems === null ? 'not known' : String(problems),
      verified === null ? 'no' : `yes (${verified})`,
      licence,
    ]);
    const header = ['set', 'title', 'use', 'problems', 'here', 'licence'];
    this.log(renderText({ title: 'Problem sets', header, rows, notes: [`Kept in ${folder}.`] }));
    return { folder, sets };
  }
}
