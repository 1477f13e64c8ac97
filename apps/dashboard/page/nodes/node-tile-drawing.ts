import type { ChangeSet } from 'rx-informers';
import type { PhaseColours } from '../pods/phase-dot.js';
import type { PodPhase } from '../pods/pod-phase.js';
import type { MapCell } from './map-cells.js';
import { Slots, cellBox, slotAt, tileLayout, type Size } from './tile-layout.js';

/** The size and the colours for drawing a tile. */
export interface DrawingStyle extends Size {
  readonly colours: PhaseColours;
  /** The number of device pixels per CSS pixel. */
  readonly ratio: number;
}

/** The opacity of a pod that does not pass the filter. */
const dimmed = 0.15;

/** Draws the pods of a node as cells of a canvas. Draws only changed cells again. */
export class NodeTileDrawing {
  readonly #cells = new Map<string, MapCell>();
  readonly #slots = new Slots();
  readonly #stale = new Set<number>();
  #layout = tileLayout(0, { width: 1, height: 1 });
  /**
   * The style of the current drawing. If it differs from the requested one, every cell is drawn
   * again.
   */
  #drawn: DrawingStyle | undefined;

  /** Returns the key and the phase of the pod at a point of the canvas, in CSS pixels. */
  podAt(x: number, y: number): { readonly key: string; readonly phase: PodPhase } | undefined {
    const key = this.#slots.keyAt(slotAt(this.#layout, x, y) ?? -1);
    const cell = key === undefined ? undefined : this.#cells.get(key);
    return key === undefined || cell === undefined ? undefined : { key, phase: cell.phase };
  }

  apply({ reason, changes }: ChangeSet<MapCell>): void {
    if (reason === 'initial') {
      this.#slots.clear();
      this.#cells.clear();
      this.#drawn = undefined;
    }
    for (const { type, key, object } of changes) {
      const isGone = type === 'deleted';
      const slot = isGone ? this.#slots.leave(key) : this.#slots.take(key);
      if (isGone) this.#cells.delete(key);
      else this.#cells.set(key, object);
      if (slot !== undefined) this.#stale.add(slot);
    }
  }

  draw(canvas: HTMLCanvasElement, style: DrawingStyle): void {
    const context = canvas.getContext('2d');
    if (!context) return;
    const layout = tileLayout(this.#slots.size, style);
    if (layout.pitch !== this.#layout.pitch || this.#drawn !== style) {
      this.#layout = layout;
      this.#begin(canvas, style);
    }
    context.setTransform(style.ratio, 0, 0, style.ratio, 0, 0);
    for (const slot of this.#stale) this.#drawCell(context, style, slot);
    this.#stale.clear();
  }

  /** Resizes the canvas, which erases it, and marks every cell to be drawn. */
  #begin(canvas: HTMLCanvasElement, style: DrawingStyle): void {
    const { width, height, ratio } = style;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    this.#drawn = style;
    this.#stale.clear();
    for (let slot = 0; slot < this.#slots.size; slot++) this.#stale.add(slot);
  }

  #drawCell(context: CanvasRenderingContext2D, { colours, ratio }: DrawingStyle, slot: number): void {
    const box = cellBox(this.#layout, slot, ratio);
    context.clearRect(...box);
    const cell = this.#cells.get(this.#slots.keyAt(slot) ?? '');
    if (cell === undefined) return;
    context.globalAlpha = cell.isMatch ? 1 : dimmed;
    context.fillStyle = colours[cell.phase];
    context.fillRect(...box);
    drawMark(context, cell.phase, box);
    context.globalAlpha = 1;
  }
}

/**
 * Draws a mark on a filled cell. The mark repeats the meaning of the colour, for readers who cannot
 * distinguish the colours. Pending and terminating pods are hollow, failing pods have a notch,
 * failed pods a cross, and pods that are not ready are half filled.
 */
function drawMark(
  context: CanvasRenderingContext2D,
  phase: PodPhase,
  [x, y, width, height]: readonly [number, number, number, number],
): void {
  const side = Math.min(width, height);
  if (side < 4) return;
  const line = Math.max(1, Math.round(side / 6));
  switch (phase) {
    case 'pending':
      context.clearRect(x + line, y + line, width - 2 * line, height - 2 * line);
      return;
    case 'terminating':
      context.clearRect(x + line, y + line, width - 2 * line, height - 2 * line);
      context.fillRect(x + 2 * line, y + 2 * line, width - 4 * line, height - 4 * line);
      return;
    case 'unready':
      context.clearRect(x + line, y + line, width - 2 * line, (height - 2 * line) / 2);
      return;
    case 'failing':
      context.clearRect(x + width * 0.55, y, width * 0.45, height * 0.45);
      return;
    case 'failed':
      context.clearRect(x, y + (height - line) / 2, width, line);
      context.clearRect(x + (width - line) / 2, y, line, height);
      return;
    case 'running':
    case 'succeeded':
      return;
  }
  phase satisfies never;
}
