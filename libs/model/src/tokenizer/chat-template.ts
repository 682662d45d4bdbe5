import { InputError, sha256 } from '@capo/samples';
import { Template } from '@huggingface/jinja';

/** One turn of a conversation. */
export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/**
 * The template of a model that turns a conversation into the text that the model was trained on. It is taken from the
 * model's own folder, and its hash belongs into the manifest of a run: another template is another experiment.
 */
export class ChatTemplate {
  /** SHA-256 of the template's text, the first 16 digits. */
  readonly hash: string;
  private readonly template: Template;

  /**
   * @param source the Jinja text
   * @param tokens what the template may refer to, such as `bos_token`
   * @param where the file that it comes from, for messages
   */
  constructor(
    source: string,
    private readonly tokens: Readonly<Record<string, string>>,
    private readonly where: string,
  ) {
    this.hash = sha256(source).slice(0, 16);
    this.template = this.explained(() => new Template(source));
  }

  /** The text of a conversation, up to where the assistant's answer begins. */
  render(messages: readonly Message[]): string {
    const context = { messages: [...messages], add_generation_prompt: true, tools: null, ...this.tokens };
    return this.explained(() => this.template.render(context));
  }

  private explained<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw new InputError(
        `${this.where}: the chat template failed: ${(error as Error).message}`,
        'Leave out the system message if there is one, or sample with plain prompts (--route completions).',
      );
    }
  }
}
