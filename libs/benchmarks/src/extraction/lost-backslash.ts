/** Control characters that stand for `\` and a letter, and what follows the letter in a LaTeX command. */
const LOST: readonly [control: string, letter: string, rest: string][] = [
  ['\f', 'f', 'rac|box|orall'],
  ['\b', 'b', 'oxed|inom|egin|eta|ar|ig|mod|ullet|f\\{'],
  ['\t', 't', 'ext|imes|frac|heta|binom|riangle|o\\b|au\\b|an\\b'],
  ['\r', 'r', 'ight|ho\\b|angle|floor|ceil|m\\{'],
  ['\v', 'v', 'ec|matrix|ert'],
];
const RESTORED = LOST.map(([control, letter, rest]) => ({
  pattern: new RegExp(`\\\\*${control}(?=${rest})`, 'g'),
  command: `\\${letter}`,
}));

/**
 * The text with the backslashes put back that a careless string literal has turned into control characters: a form
 * feed before `rac` was `\frac`. Other control characters are left as they are.
 */
export function restoreLostBackslashes(text: string): string {
  if (!LOST.some(([control]) => text.includes(control))) return text;
  return RESTORED.reduce((fixed, { pattern, command }) => fixed.replace(pattern, () => command), text);
}
