import { InputError } from '@capo/samples';
import type { TokenizerJson } from './text-tokenizer.js';

/** SentencePiece's sign for a space. */
const SPACE = '\u2581';

/**
 * Reads the tokenizer file of a llama2.c checkpoint (`tok512.bin`) as a `tokenizer.json`: a SentencePiece vocabulary
 * with byte fallback, in which the piece with the highest score is merged first. The layout is the longest piece
 * (int32), then for each piece its score (float32), its length (int32) and its UTF-8 bytes; pieces 0, 1 and 2 are
 * unknown, begin and end, and 3 to 258 are the bytes.
 *
 * @throws InputError for a file that ends within a piece
 */
export function llama2cTokenizer(bytes: Uint8Array, where: string): TokenizerJson {
  const pieces = readPieces(bytes, where);
  const ids = new Map(pieces.map(({ text }, id) => [text, id]));
  return {
    version: '1.0',
    added_tokens: [0, 1, 2].map((id) => ({ id, content: pieces[id].text, special: true, normalized: false })),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Prepend', prepend: SPACE },
        { type: 'Replace', pattern: { String: ' ' }, content: SPACE },
      ],
    },
    pre_tokenizer: null,
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: pieces[1].text, type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [],
    },
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: SPACE }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        { type: 'Strip', content: ' ', start: 1, stop: 0 },
      ],
    },
    model: {
      type: 'BPE',
      unk_token: pieces[0].text,
      byte_fallback: true,
      vocab: Object.fromEntries(ids),
      merges: mergesOf(pieces, ids),
    },
  };
}

interface Piece {
  text: string;
  score: number;
}

function readPieces(bytes: Uint8Array, where: string): Piece[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: Piece[] = [];
  for (let at = 4; at < bytes.length; ) {
    const length = at + 8 <= bytes.length ? view.getInt32(at + 4, true) : -1;
    const end = at + 8 + length;
    if (length < 0 || end > bytes.length) {
      throw new InputError(`${where}: piece ${pieces.length} is cut off.`, 'Fetch the tokenizer file again.');
    }
    const text = new TextDecoder().decode(bytes.subarray(at + 8, end));
    pieces.push({
      text: pieces.length < 3 ? text.trim() : text.replaceAll(' ', SPACE),
      score: view.getFloat32(at, true),
    });
    at = end;
  }
  if (pieces.length < 259) throw new InputError(`${where}: ${pieces.length} pieces are too few for a vocabulary.`);
  return pieces;
}

/** Every way in which a piece can be put together from two pieces, best piece first. */
function mergesOf(pieces: readonly Piece[], ids: ReadonlyMap<string, number>): [string, string][] {
  const merges: { pair: [string, string]; score: number }[] = [];
  for (const { text, score } of pieces.slice(259)) {
    const characters = [...text];
    for (let cut = 1; cut < characters.length; cut++) {
      const pair: [string, string] = [characters.slice(0, cut).join(''), characters.slice(cut).join('')];
      if (pair.every((part) => ids.has(part))) merges.push({ pair, score });
    }
  }
  return merges.sort((a, b) => b.score - a.score).map(({ pair }) => pair);
}
