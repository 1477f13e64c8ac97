import type { ChangeSet } from 'rx-informers';
import type { PodPhase } from '../pods/pod-phase.js';
import type { MapCell, MatchedPod } from './map-cells.js';
import { Slots, cellBox, slotAt, tileLayout, type Size, type TileLayout } from './tile-layout.js';

/** The colours of the map by name, in a format for a canvas. */
export type Paints = Readonly<Record<string, string>>;

/** The size, the colours and the options for drawing a tile. */
export interface DrawingStyle extends Size {
  readonly paints: Paints;
  /** The number of device pixels per CSS pixel. */
  readonly ratio: number;
  /** Whether a changed cell glows for a moment. */
  readonly glows: boolean;
}

/** The keys that move the cursor. */
export type Arrow = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';

/** Milliseconds for which a changed cell glows. */
const glowFor = 700;
/** The opacity of a pod that does not pass the filter. */
const dimmed = 0.15;

/** Draws the pods of a node as cells of a canvas. Draws only changed cells again. */
export class NodeTileDrawing {
  readonly #cells = new Map<string, MapCell>();
  readonly #slots = new Slots();
  readonly #stale = new Set<number>();
  /** The time of the last change of each glowing slot. */
  readonly #glowing = new Map<number, number>();
  #matched: Set<string> | undefined;
  #cursor: string | undefined;
  #layout: TileLayout = tileLayout(0, { width: 1, height: 1 });
  /**
   * The style of the current drawing. If it differs from the requested one, every cell is drawn
   * again.
   */
  #drawn: DrawingStyle | undefined;

  /** Returns the key of the pod at a point of the canvas, in CSS pixels. */
  keyAt(x: number, y: number): string | undefined {
    const slot = slotAt(this.#layout, x, y);
    return slot === undefined ? undefined : this.#slots.keyAt(slot);
  }

  /** Moves the keyboard cursor to a pod. `undefined` removes the cursor. */
  moveCursor(key: string | undefined): void {
    this.#cursor = key;
  }

  /** Returns the box of the cursor in CSS pixels, or `undefined` without a cursor. */
  get cursorBox(): readonly [x: number, y: number, width: number, height: number] | undefined {
    const slot = this.#cursor === undefined ? undefined : this.#slots.slotOf(this.#cursor);
    return slot === undefined ? undefined : cellBox(this.#layout, slot, 1);
  }

  get firstKey(): string | undefined {
    return this.#slots.adjacentKey(-1, 1);
  }

  /**
   * Returns the pod beside another pod in the direction of an arrow, or `undefined` at the edge.
   */
  adjacentKey(key: string, arrow: Arrow): string | undefined {
    const slot = this.#slots.slotOf(key);
    if (slot === undefined) return this.firstKey;
    const { columns } = this.#layout;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[arrow];
    return this.#slots.adjacentKey(slot, step);
  }

  /** Returns whether a cell glows, so that it must be drawn again without a change. */
  get isGlowing(): boolean {
    return this.#glowing.size > 0;
  }

  apply({ reason, changes }: ChangeSet<MapCell>, now: number): void {
    const isFirst = reason === 'initial';
    if (isFirst) {
      this.#slots.clear();
      this.#cells.clear();
      this.#glowing.clear();
      this.#drawn = undefined;
    }
    for (const { type, key, object } of changes) {
      const isGone = type === 'deleted';
      const slot = isGone ? this.#slots.leave(key) : this.#slots.take(key);
      if (isGone) this.#cells.delete(key);
      else this.#cells.set(key, object);
      if (slot === undefined) continue;
      this.#stale.add(slot);
      if (isGone) this.#glowing.delete(slot);
      else if (!isFirst) this.#glowing.set(slot, now);
    }
  }

  /** Dims all pods except these. `undefined` dims none. */
  applyMatches(set: ChangeSet<MatchedPod> | undefined): void {
    if (!set || set.reason === 'initial') {
      if (!set && !this.#matched) return;
      this.#matched = set && new Set();
      this.#drawn = undefined;
    }
    for (const { type, key } of set?.changes ?? []) {
      if (type === 'deleted') this.#matched?.delete(key);
      else this.#matched?.add(key);
      const slot = this.#slots.slotOf(key);
      if (slot !== undefined) this.#stale.add(slot);
    }
  }

  draw(canvas: HTMLCanvasElement, style: DrawingStyle, now: number): void {
    const context = canvas.getContext('2d');
    if (!context) return;
    const layout = tileLayout(this.#slots.size, style);
    const isAnother = layout.columns !== this.#layout.columns || layout.rows !== this.#layout.rows;
    if (isAnother || this.#drawn !== style) {
      this.#layout = layout;
      this.#begin(canvas, style);
    }
    context.setTransform(style.ratio, 0, 0, style.ratio, 0, 0);
    for (const [slot, since] of this.#glowing) {
      this.#stale.add(slot);
      if (!style.glows || now - since >= glowFor) this.#glowing.delete(slot);
    }
    for (const slot of this.#stale) this.#drawCell(context, style, slot, now);
    this.#stale.clear();
  }

  /** Resizes the canvas, which erases it, and marks every cell to be drawn. */
  #begin(canvas: HTMLCanvasElement, style: DrawingStyle): void {
    const { width, height, ratio } = style;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    this.#drawn = style;
    this.#stale.clear();
    for (let slot = 0; slot < this.#slots.size; slot++) this.#stale.add(slot);
  }

  #drawCell(context: CanvasRenderingContext2D, { paints, ratio }: DrawingStyle, slot: number, now: number): void {
    const [x, y, width, height] = cellBox(this.#layout, slot, ratio);
    context.clearRect(x, y, width, height);
    const key = this.#slots.keyAt(slot);
    const cell = key === undefined ? undefined : this.#cells.get(key);
    if (key === undefined || cell === undefined) return;
    const isOut = this.#matched !== undefined && !this.#matched.has(key);
    context.globalAlpha = isOut ? dimmed : 1;
    context.fillStyle = paints[cell.paint] ?? '';
    context.fillRect(x, y, width, height);
    drawMark(context, cell.phase, [x, y, width, height]);
    const since = this.#glowing.get(slot);
    if (since !== undefined && !isOut) {
      context.globalAlpha = 0.7 * Math.max(0, 1 - (now - since) / glowFor);
      context.fillStyle = paints['text'] ?? '';
      context.fillRect(x, y, width, height);
    }
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
      context.save();
      context.globalCompositeOperation = 'destination-out';
      context.globalAlpha = 1;
      context.beginPath();
      context.moveTo(x + width, y);
      context.lineTo(x + width, y + height * 0.55);
      context.lineTo(x + width * 0.45, y);
      context.fill();
      context.restore();
      return;
    case 'failed':
      context.save();
      context.globalCompositeOperation = 'destination-out';
      context.globalAlpha = 1;
      context.lineWidth = line;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + width, y + height);
      context.moveTo(x + width, y);
      context.lineTo(x, y + height);
      context.stroke();
      context.restore();
      return;
    case 'running':
    case 'succeeded':
      return;
  }
  phase satisfies never;
}
