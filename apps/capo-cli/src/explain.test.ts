import { describe, expect, it } from 'vitest';
import { runCapo } from './testing/run-capo.js';

describe('explain', () => {
  it('prints formula, example and deviations of a method', async () => {
    const { code, stdout } = await runCapo(['explain', 'capo']);
    expect(code).toBe(0);
    for (const text of ['## Formula', 'sigmoid(-(lpm_i - lpm_j) / tau)', '## Example', '## Deviations']) {
      expect(stdout).toContain(text);
    }
    expect(stdout).not.toContain('## Logged metrics');
    expect((await runCapo(['explain', 'capo', '--all'])).stdout).toContain('## Logged metrics');
  });

  it('lists all methods, as text and as JSON', async () => {
    const { stdout } = await runCapo(['explain', '--json']);
    const { methods } = JSON.parse(stdout) as { methods: { name: string; summary: string }[] };
    expect(methods.map(({ name }) => name)).toEqual(
      ['capo', 'cde', 'codapo', 'dapo', 'dr-grpo', 'gspo', 'grpo', 'rloo', 'simko'].sort(),
    );
    for (const { summary } of methods) expect(summary).toMatch(/arXiv/);
  });

  it('suggests a name for one that is unknown', async () => {
    const { code, stderr } = await runCapo(['explain', 'gsppo']);
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean "gspo"?');
  });

  it('has the shared options as a page of their own', async () => {
    expect((await runCapo(['explain', 'options'])).stdout).toContain('groupsWithoutSignal');
  });
});
