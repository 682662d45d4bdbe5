/** How the lines of a figure look; the second channel (dash, marker) serves readers who cannot tell the colours. */
export interface LineStyle {
  color: string;
  dash: number[];
  marker: 'circle' | 'rect' | 'triangle' | 'rectRot' | 'cross' | 'star';
}

/** The palette of Okabe and Ito (2008), made for colour-blind readers, without its yellow, too pale on white. */
const STYLES: readonly LineStyle[] = [
  { color: '#0072B2', dash: [], marker: 'circle' },
  { color: '#D55E00', dash: [6, 3], marker: 'rect' },
  { color: '#009E73', dash: [2, 2], marker: 'triangle' },
  { color: '#CC79A7', dash: [8, 3, 2, 3], marker: 'rectRot' },
  { color: '#E69F00', dash: [10, 4], marker: 'cross' },
  { color: '#56B4E9', dash: [4, 2, 1, 2], marker: 'star' },
];

export const REFERENCE_COLOR = '#888888';

/** The style of the k-th label of a figure. */
export function lineStyle(index: number): LineStyle {
  return STYLES[index % STYLES.length];
}

/** The colour at that opacity, for bands. */
export function translucent(color: string, opacity: number): string {
  const channel = (start: number) => Number.parseInt(color.slice(start, start + 2), 16);
  return `rgba(${channel(1)}, ${channel(3)}, ${channel(5)}, ${opacity})`;
}
