import { availableParallelism, cpus, freemem, totalmem } from 'node:os';
import { BaseCommand } from '../base-command.js';

const GIB = 2 ** 30;

export default class Doctor extends BaseCommand {
  static override summary = 'Show what this machine is and which backends it can run.';

  static override description =
    'Prints versions, cores and memory, and for each tensor backend whether it starts and its speed in matrix products.';

  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --json'];

  async run(): Promise<unknown> {
    await this.parse(Doctor);
    const { BACKENDS, probeBackend } = await import('@capo/model');
    const backends = [];
    for (const name of BACKENDS) backends.push(await probeBackend(name));
    const report = {
      capo: this.config.version,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      processor: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      memoryGiB: { total: round(totalmem() / GIB), free: round(freemem() / GIB) },
      backends,
    };
    this.log(`capo ${report.capo}, Node ${report.node}, ${report.platform}`);
    this.log(
      `${report.cores} cores (${report.processor}), ${report.memoryGiB.total} GiB memory, ${report.memoryGiB.free} free`,
    );
    for (const { name, usable, gflops, detail } of backends) {
      this.log(
        `${name.padEnd(6)} ${usable ? `usable, ${gflops} GFLOP/s on 256 x 256 products; ` : 'not usable: '}${detail}`,
      );
    }
    return report;
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
