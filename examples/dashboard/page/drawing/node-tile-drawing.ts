import type { ChangeSet } from 'rx-informers';
import type { PodDot } from '../cluster/pod-counts.js';
import type { PodPhase } from '../model/pod-phase.js';
import { Slots } from '../model/slots.js';
import { cellPosition, slotAt, tileLayout, type TileLayout } from '../model/tile-layout.js';
import type { PhaseColours } from './phase-colours.js';

/** The pods of a node as cells of a canvas, of which only those are drawn again that have changed. */
export class NodeTileDrawing {
  readonly #phases = new Map<string, PodPhase>();
  readonly #slots = new Slots();
  readonly #stale = new Set<number>();
  #layout: TileLayout = tileLayout(0);
  /** Places that there were at most: a tile that gets smaller with every pod that goes would move all others. */
  #most = 0;
  /** What the canvas holds, so that it is known when nothing of it is right. */
  #drawn: { readonly layout: TileLayout; readonly colours: PhaseColours; readonly ratio: number } | undefined;

  /** The pod at a place of the canvas, in CSS pixels. */
  keyAt(x: number, y: number): string | undefined {
    const slot = slotAt(this.#layout, x, y);
    return slot === undefined ? undefined : this.#slots.keyAt(slot);
  }

  apply(set: ChangeSet<PodDot>): void {
    if (set.reason === 'initial') {
      this.#slots.clear();
      this.#phases.clear();
      this.#most = 0;
      this.#drawn = undefined;
    }
    for (const { type, key, object } of set.changes) {
      const isGone = type === 'deleted';
      const slot = isGone ? this.#slots.leave(key) : this.#slots.take(key);
      if (slot !== undefined) this.#stale.add(slot);
      if (isGone) this.#phases.delete(key);
      else this.#phases.set(key, object.phase);
    }
    this.#most = Math.max(this.#most, this.#slots.size);
    const layout = tileLayout(this.#most);
    if (layout.cell !== this.#layout.cell || layout.height !== this.#layout.height) this.#layout = layout;
  }

  draw(canvas: HTMLCanvasElement, colours: PhaseColours, ratio: number): void {
    const context = canvas.getContext('2d');
    if (!context) return;
    const drawn = this.#drawn;
    if (drawn?.layout !== this.#layout || drawn.colours !== colours || drawn.ratio !== ratio) {
      this.#begin(canvas, colours, ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const slot of this.#stale) this.#drawCell(context, colours, slot);
    this.#stale.clear();
  }

  /** Setting its size makes a canvas empty. */
  #begin(canvas: HTMLCanvasElement, colours: PhaseColours, ratio: number): void {
    const { width, height } = this.#layout;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    this.#drawn = { layout: this.#layout, colours, ratio };
    this.#stale.clear();
    for (let slot = 0; slot < this.#slots.size; slot++) this.#stale.add(slot);
  }

  #drawCell(context: CanvasRenderingContext2D, colours: PhaseColours, slot: number): void {
    const { cell } = this.#layout;
    const [x, y] = cellPosition(this.#layout, slot);
    context.clearRect(x, y, cell, cell);
    const key = this.#slots.keyAt(slot);
    const phase = key === undefined ? undefined : this.#phases.get(key);
    if (phase === undefined) return;
    context.fillStyle = colours[phase];
    context.fillRect(x, y, cell, cell);
  }
}
