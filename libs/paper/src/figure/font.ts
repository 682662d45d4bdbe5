import { createRequire } from 'node:module';
import { GlobalFonts } from '@napi-rs/canvas';

/** Arimo, under a name that no font of the machine has, so that figures do not depend on installed fonts. */
export const FONT_FAMILY = 'Capo Figure Sans';

const require = createRequire(import.meta.url);
let registered = false;

/** Makes the bundled font known to the canvas, once. It holds Latin, Greek, Cyrillic and the usual signs of mathematics. */
export function registerFont(): void {
  if (registered) return;
  GlobalFonts.registerFromPath(
    require.resolve('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf'),
    FONT_FAMILY,
  );
  GlobalFonts.registerFromPath(require.resolve('@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf'), FONT_FAMILY);
  registered = true;
}

/** The `font` of a canvas context. */
export function canvasFont(size: number, weight: 'normal' | 'bold' = 'normal'): string {
  return `${weight} ${size}px "${FONT_FAMILY}"`;
}
