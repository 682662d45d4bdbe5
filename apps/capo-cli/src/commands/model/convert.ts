import { InputError } from '@capo/samples';
import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../../base-command.js';

export default class ModelConvert extends BaseCommand {
  static override summary = "Write a model in the hub's layout: from GGUF, or in another number format.";

  static override description =
    `Reads a GGUF file, a folder or a pulled model and writes config.json, safetensors and the tokenizer into --out. The
weights go through memory in parts. Quantized weights become F32 unless --dtype says otherwise.`;

  static override examples = [
    '<%= config.bin %> model convert model.Q8_0.gguf --out models/mine --tokenizer models/original',
    '<%= config.bin %> model convert Qwen/Qwen2.5-0.5B --dtype F32 --out models/qwen-f32',
  ];

  static override args = {
    model: Args.string({ description: 'folder, GGUF file or name on the hub', required: true }),
  };

  static override flags = {
    dtype: Flags.string({ description: 'number format of the weights', options: ['F32', 'BF16', 'F16'] }),
    'shard-gigabytes': Flags.string({ description: 'the most gigabytes of one file of weights', default: '5' }),
    tokenizer: Flags.string({ description: 'folder whose tokenizer is taken along' }),
    revision: Flags.string({ description: 'branch, tag or commit of a pulled model', default: 'main' }),
  };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(ModelConvert);
    if (!flags.out) throw new InputError('--out is missing.', 'Name the folder that the model is written to.');
    const gigabytes = Number(flags['shard-gigabytes']);
    if (!(gigabytes > 0)) {
      throw new InputError(`--shard-gigabytes is "${flags['shard-gigabytes']}".`, 'Give a number above 0.');
    }
    const { convertModel, localModel } = await import('@capo/model');
    const converted = await convertModel(localModel(args.model, flags.revision, process.env), flags.out, {
      dtype: flags.dtype as 'F32' | undefined,
      maxShardBytes: gigabytes * 1e9,
      tokenizer: flags.tokenizer,
    });
    const { folder, tensors, bytes, copied } = converted;
    this.log(`${tensors} tensors, ${(bytes / 1e6).toFixed(1)} MB, written to ${folder}`);
    this.log(copied.length > 0 ? `Copied: ${copied.join(', ')}` : 'There was no tokenizer to copy; see --tokenizer.');
    return converted;
  }
}
