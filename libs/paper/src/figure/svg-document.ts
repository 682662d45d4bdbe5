/** What stands around the drawing in an SVG file. */
export interface SvgFrame {
  /** Points. */
  width: number;
  height: number;
  /** Empty: none. */
  title: string;
  description: string;
  /** JSON. */
  origin: string;
}

/**
 * Makes the drawing library's SVG a file for papers and pages: a size in points that scales, title, description and
 * metadata, ids that depend on the content alone, and coordinates of a hundredth of a pixel, which halves the file.
 */
export function finishSvg(svg: string, { width, height, title, description, origin }: SvgFrame): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}pt" height="${height}pt" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(description)}">
${title && `<title>${escapeXml(title)}</title>\n`}<desc>${escapeXml(description)}</desc>
<metadata>${escapeXml(origin)}</metadata>
`;
  return numberIds(svg)
    .replace(/<svg[^>]*>\s*/, head)
    .replace(/ (d|x|y|width|height|transform)="([^"]*)"/g, (_, name, value) => ` ${name}="${rounded(value)}"`)
    .replace(/\n\t+/g, '\n');
}

/** The drawing library counts the ids of clips over the whole process; numbered afresh, equal figures are equal. */
function numberIds(svg: string): string {
  const numbers = new Map<string, string>();
  for (const [, id] of svg.matchAll(/ id="([^"]+)"/g)) numbers.set(id, `c${numbers.size}`);
  const numbered = (id: string) => numbers.get(id) ?? id;
  return svg
    .replace(/ id="([^"]+)"/g, (_, id) => ` id="${numbered(id)}"`)
    .replace(/url\(#([^)]+)\)/g, (_, id) => `url(#${numbered(id)})`);
}

function rounded(coordinates: string): string {
  return coordinates.replace(/\d+\.\d{3,}(e[-+]?\d+)?/g, (number) => String(Number(Number(number).toFixed(2))));
}

function escapeXml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  // What XML 1.0 has no place for cannot be written, not even escaped.
  return text
    .replace(/[&<>"]/g, (character) => names[character])
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}
