import type { SKRSContext2D } from '@napi-rs/canvas';
import { BAR_OPACITY, translucent } from './figure-style.js';

/** A rectangle, in points. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Points. */
const OUTLINE = 0.5;
const HATCH = { distance: 3, width: 0.5 } as const;

/** A bar or its sign in the legend: outlined, and filled or hatched with diagonal lines. */
export function drawBox(context: SKRSContext2D, box: Box, color: string, look: 'solid' | 'hatched' = 'solid'): void {
  const { left, top, width, height } = box;
  context.save();
  context.strokeStyle = color;
  context.lineWidth = OUTLINE;
  context.strokeRect(left, top, width, height);
  if (look === 'solid') {
    context.fillStyle = translucent(color, BAR_OPACITY);
    context.fillRect(left, top, width, height);
  } else {
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.lineWidth = HATCH.width;
    context.beginPath();
    for (let offset = HATCH.distance; offset < width + height; offset += HATCH.distance) {
      context.moveTo(left + offset, top);
      context.lineTo(left + offset - height, top + height);
    }
    context.stroke();
  }
  context.restore();
}
