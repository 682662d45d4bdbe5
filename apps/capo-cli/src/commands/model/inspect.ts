import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../../base-command.js';

export default class ModelInspect extends BaseCommand {
  static override summary = 'Check a model and say what it is.';

  static override description =
    `Opens a folder in the layout of the Hugging Face hub, a GGUF file or a pulled model, checks configuration, tensors and
tokenizer against each other, and prints the sizes. With --tokens it shows how a text is divided into tokens.`;

  static override examples = [
    '<%= config.bin %> model inspect Qwen/Qwen2.5-Math-1.5B',
    '<%= config.bin %> model inspect models/mine --tokens "x = 12"',
    '<%= config.bin %> model inspect model.Q8_0.gguf --json',
  ];

  static override args = {
    model: Args.string({ description: 'folder, GGUF file or name on the hub', required: true }),
  };

  static override flags = {
    revision: Flags.string({ description: 'branch, tag or commit of a pulled model', default: 'main' }),
    tokens: Flags.string({ description: 'show the tokens of this text' }),
  };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(ModelInspect);
    const { inspectModel, loadTokenizer, localModel } = await import('@capo/model');
    const path = localModel(args.model, flags.revision, process.env);
    const summary = await inspectModel(path);
    const { config, tokenizer } = summary;
    this.log(`${path} (${summary.format})`);
    this.log(
      `${config.model_type}, ${(summary.parameters / 1e6).toFixed(1)} M parameters (${summary.float32Gigabytes.toFixed(2)} GB in float32)`,
    );
    for (const [key, value] of Object.entries(config)) this.log(`  ${key}: ${value}`);
    const stored = Object.entries(summary.storage).map(([name, count]) => `${count} in ${name}`);
    this.log(`Tensors: ${stored.join(', ')}`);
    if (tokenizer) {
      const { tokens, bos, eos, pad, chatTemplate } = tokenizer;
      this.log(
        `Tokenizer: ${tokens} tokens; begin ${bos ?? 'none'}, end ${eos.join(', ') || 'none'}, pad ${pad ?? 'none'}`,
      );
      this.log(`Chat template: ${chatTemplate ?? 'none'}`);
    }
    for (const warning of summary.warnings) this.note(`Warning: ${warning}`);
    if (flags.tokens === undefined) return summary;
    const loaded = loadTokenizer(path);
    const ids = loaded.encode(flags.tokens);
    const shown = ids.map((id) => ({ id, text: loaded.decode([id], { keepSpecial: true }) }));
    for (const { id, text } of shown) this.log(`${String(id).padStart(8)}  ${JSON.stringify(text)}`);
    return { ...summary, tokens: shown };
  }
}
