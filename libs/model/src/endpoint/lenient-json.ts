/**
 * Parses the JSON of a server. Servers in Python write `NaN` and `-Infinity` for numbers that JSON does not have; these
 * become null, so that one impossible log-probability does not cost the whole reply.
 *
 * @throws SyntaxError for anything else that is not JSON, such as a reply that was cut off
 */
export function parseLenientJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Strings are matched first, so that the words are left alone inside of them.
    const repaired = text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (match) =>
      match.startsWith('"') ? match : 'null',
    );
    if (repaired === text) throw error;
    return JSON.parse(repaired);
  }
}
