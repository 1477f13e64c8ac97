import type { ChangeEvent, WatchEventBatch } from '../watch-event.js';
import type { OverlayWrite } from './overlay-write.js';

/** What one subscription to an overlaid source is in the middle of. */
export interface OverlayState<T> {
  /** The writes that the watch has not said yet, by `writeId`, the first to expire first. */
  readonly entries: ReadonlyMap<string, OverlayEntry<T>>;
  /** What has been listed, by partition, and up to which version it has been told; `''` where nobody knows. */
  readonly reached: ReadonlyMap<string | undefined, string>;
  /** The uids of the objects that the watch saw go last: a write to one of them comes too late. */
  readonly deleted: ReadonlySet<string>;
}

export interface OverlayEntry<T> {
  readonly write: OverlayWrite<T>;
  /** Where it is shown; none before the list that it belongs to. */
  readonly place: { readonly partition: string | undefined } | undefined;
  /** What the watch has said of the object meanwhile, and nobody has heard; absent from a list is a `DELETED`. */
  readonly lastWord: ChangeEvent<T> | undefined;
}

export type OverlayInput<T> =
  | { readonly type: 'write'; readonly write: OverlayWrite<T> }
  /** The source emits. */
  | { readonly type: 'batch'; readonly batch: WatchEventBatch<T> }
  /** The time of the writes that expire at `at`, or before it, is over. */
  | { readonly type: 'expired'; readonly at: number };

/** A state that begins: writes that were told before wait for the list. */
export function initialOverlayState<T>(writes: Iterable<readonly [string, OverlayWrite<T>]>): OverlayState<T> {
  const entries = new Map<string, OverlayEntry<T>>();
  for (const [id, write] of writes) entries.set(id, { write, place: undefined, lastWord: undefined });
  return { entries, reached: new Map(), deleted: new Set() };
}
