import { createCanvas, loadImage } from '@napi-rs/canvas';

/** An image as RGBA bytes. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

/** Decodes a PNG or an SVG, drawn to a canvas of that size (default: its own) on white. */
export async function pixelsOf(file: Buffer, size?: { width: number; height: number }): Promise<Pixels> {
  const image = await loadImage(file);
  const { width, height } = size ?? image;
  const context = createCanvas(width, height).getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  return { width, height, data: context.getImageData(0, 0, width, height).data };
}

/** The mean difference of two images of one size over all channels, from 0 to 255. */
export function meanDifference(a: Pixels, b: Pixels): number {
  let sum = 0;
  for (let i = 0; i < a.data.length; i++) sum += Math.abs(a.data[i] - b.data[i]);
  return sum / a.data.length;
}

/** The smallest box around all pixels that are near a colour; null when there are none. */
export function boxOfColor(pixels: Pixels, color: readonly [number, number, number], within = 24) {
  const box = { left: Number.POSITIVE_INFINITY, top: Number.POSITIVE_INFINITY, right: -1, bottom: -1 };
  for (let y = 0; y < pixels.height; y++) {
    for (let x = 0; x < pixels.width; x++) {
      const at = 4 * (y * pixels.width + x);
      if (color.some((channel, c) => Math.abs(pixels.data[at + c] - channel) > within)) continue;
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y);
    }
  }
  return box.right < 0 ? null : { ...box, width: box.right - box.left + 1, height: box.bottom - box.top + 1 };
}
