import { useContext, useMemo, useSyncExternalStore } from 'react';
import { PhaseColoursContext } from '../pods/phase-dot.js';
import type { DrawingStyle } from './node-tile-drawing.js';
import type { Size } from './tile-layout.js';

/**
 * The minimum width of a tile, and the height of its cells, which depend on the number of tiles.
 */
interface Density {
  readonly tile: number;
  readonly cells: number;
}

/** Returns the density of the map. With a thousand nodes, names are short and pods are dots. */
export function densityFor(tiles: number): Density {
  if (tiles <= 24) return { tile: 176, cells: 58 };
  if (tiles <= 80) return { tile: 148, cells: 44 };
  return { tile: 112, cells: 28 };
}

/** Pixels between two tiles, and between the edge of a tile and its cells. */
export const tileGap = 6;
export const tilePadding = 8;

/** Returns the size of the cell area of a tile, for rows of tiles that are `width` pixels wide. */
export function cellsSize(width: number, { tile, cells }: Density): Size {
  const columns = Math.max(1, Math.floor((width + tileGap) / (tile + tileGap)));
  const each = (width - (columns - 1) * tileGap) / columns;
  return { width: Math.max(1, Math.floor(each - 2 * tilePadding - 2)), height: cells };
}

/** Returns the style for drawing tiles, or `undefined` before the colours are known. */
export function useDrawingStyle({ width, height }: Size): DrawingStyle | undefined {
  const paints = useContext(PhaseColoursContext);
  const ratio = useSyncExternalStore(onResize, pixelRatio);
  const glows = !useSyncExternalStore(onMotion, reducedMotion);
  return useMemo(
    () => (paints ? { paints, ratio, glows, width, height } : undefined),
    [paints, ratio, glows, width, height],
  );
}

function onResize(listener: () => void): () => void {
  addEventListener('resize', listener);
  return () => {
    removeEventListener('resize', listener);
  };
}

function pixelRatio(): number {
  return devicePixelRatio;
}

function motionQuery(): MediaQueryList {
  return matchMedia('(prefers-reduced-motion: reduce)');
}

function onMotion(listener: () => void): () => void {
  const query = motionQuery();
  query.addEventListener('change', listener);
  return () => {
    query.removeEventListener('change', listener);
  };
}

function reducedMotion(): boolean {
  return motionQuery().matches;
}
