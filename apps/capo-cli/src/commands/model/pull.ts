import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../../base-command.js';
import { interruptSignal } from '../../interrupt.js';
import { createProgress } from '../../progress.js';

export default class ModelPull extends BaseCommand {
  static override summary = 'Fetch a model from the Hugging Face hub.';

  static override description =
    `Fetches configuration, tokenizer and safetensors into the cache that Hugging Face's tools share, or into --out. Broken
downloads are continued, every file is checked against the size and hash that the hub lists, and files that are there
are kept. HF_HOME, HF_HUB_CACHE, HF_ENDPOINT and HF_TOKEN are honoured; the token is never shown or stored.`;

  static override examples = [
    '<%= config.bin %> model pull Qwen/Qwen2.5-Math-1.5B',
    '<%= config.bin %> model pull Qwen/Qwen2.5-0.5B --revision main --out models/qwen',
    "<%= config.bin %> model pull Qwen/Qwen2.5-0.5B-Instruct-GGUF --include '*q8_0.gguf' --out models/gguf",
  ];

  static override args = { model: Args.string({ description: 'name on the hub, as owner/name', required: true }) };

  static override flags = {
    revision: Flags.string({ description: 'branch, tag or commit', default: 'main' }),
    include: Flags.string({
      description: 'weights to fetch instead of the safetensors (* for any letters)',
      multiple: true,
    }),
    'max-retries': Flags.integer({ description: 'further attempts at a file', default: 5, min: 0 }),
  };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(ModelPull);
    const { pullModel } = await import('@capo/model');
    const { stream } = await import('@capo/samples');
    const progress = createProgress();
    const interrupt = interruptSignal((message) => this.note(message));
    try {
      const pulled = await pullModel(args.model, {
        revision: flags.revision,
        folder: flags.out,
        include: flags.include,
        environment: process.env,
        maxRetries: flags['max-retries'],
        random: stream(flags.seed, 'back-off').uniform,
        onNote: (message) => this.note(message),
        signal: interrupt.signal,
        onProgress: (bytes, total, file) => {
          const megabytes = `${(bytes / 1e6).toFixed(0)} of ${(total / 1e6).toFixed(0)} MB`;
          progress.update(total > 0 ? bytes / total : 1, null, `${megabytes} | ${file}`);
        },
      });
      for (const { name, bytes, fetched } of pulled.files) {
        this.log(`${fetched ? 'fetched' : 'kept   '} ${(bytes / 1e6).toFixed(1).padStart(9)} MB  ${name}`);
      }
      this.log(`${args.model} at ${pulled.commit} is in ${pulled.folder}`);
      return pulled;
    } finally {
      progress.stop();
      interrupt.release();
    }
  }
}
