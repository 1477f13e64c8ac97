import { compareResourceVersions } from '../../kubernetes/compare-resource-versions.js';
import type { ChangeEvent, WatchEvent } from '../watch-event.js';
import type { OverlayEntry, OverlayState } from './overlay-state.js';
import { belongsTo, isSameIncarnation, supersedes, uidOf, writeId, type OverlayWrite } from './overlay-write.js';

/** A state while one step is made of it, and what is to be emitted for that. */
export class OverlayDraft<T> {
  readonly entries: Map<string, OverlayEntry<T>>;
  readonly events: WatchEvent<T>[] = [];
  /** Whether only a new list can tell what is to be shown now. */
  needsList = false;
  readonly #reached: Map<string | undefined, string>;
  #deleted: ReadonlySet<string>;
  #deletedNow: Set<string> | undefined;
  /** Where something was emitted whose version is not that which the watch has reached. */
  readonly #disturbed = new Set<string | undefined>();

  constructor(
    state: OverlayState<T>,
    private readonly limit: number,
  ) {
    this.entries = new Map(state.entries);
    this.#reached = new Map(state.reached);
    this.#deleted = state.deleted;
  }

  finish(): OverlayState<T> {
    for (const partition of this.#disturbed) this.#emitReached(partition);
    return { entries: this.entries, reached: this.#reached, deleted: this.#deletedNow ?? this.#deleted };
  }

  /** A list says where it is, wherever it was before. */
  listed(partition: string | undefined, resourceVersion: string): void {
    this.#reached.set(partition, resourceVersion);
  }

  /** An event moves it on, never back: a `DELETED` may carry the version of the object before. */
  moved(partition: string | undefined, resourceVersion: string): void {
    if (resourceVersion === '') return;
    const before = this.#reached.get(partition) ?? '';
    if ((compareResourceVersions(resourceVersion, before) ?? 1) > 0) this.#reached.set(partition, resourceVersion);
  }

  sawDeleted(object: T): void {
    const uid = uidOf(object);
    if (uid === undefined) return;
    this.#deletedNow ??= new Set(this.#deleted);
    this.#deletedNow.add(uid);
    const [oldest] = this.#deletedNow;
    if (this.#deletedNow.size > this.limit && oldest !== undefined) this.#deletedNow.delete(oldest);
  }

  /** The entry that an event or list item of this key and partition is to be held against, with the id it is kept under. */
  entryOf(key: string, partition: string | undefined): readonly [string, OverlayEntry<T>] | undefined {
    for (const id of new Set([writeId(key, partition), key])) {
      const entry = this.entries.get(id);
      if (entry !== undefined && belongsTo(entry.write, partition)) return [id, entry];
    }
    return undefined;
  }

  write(write: OverlayWrite<T>): void {
    const id = writeId(write.key, write.partition);
    const existing = this.entries.get(id);
    const place = existing?.place ?? this.#placeOf(write);
    if (existing !== undefined && !supersedes(write, existing.write)) return;
    if (existing === undefined && this.entries.size >= this.limit) return;
    if (this.#deleted.has(uidOf(write.object) ?? '')) return;
    if (place !== undefined && write.type === 'shown' && this.#isPast(write, place.partition)) return;
    // Behind all others: it is the last to expire.
    this.entries.delete(id);
    this.entries.set(id, { write, place, lastWord: existing?.lastWord });
    if (place === undefined) return;
    if (write.type === 'shown') {
      this.show('MODIFIED', write.object, place.partition);
      return;
    }
    const before = existing?.write;
    if (before?.type === 'shown' && isSameIncarnation(before.object, write.object) === false) {
      this.show('DELETED', before.object, place.partition);
    }
    this.show('DELETED', write.object, place.partition);
  }

  /** Drops what the watch has passed without a word of it: it will never say it. */
  dropPassed(): void {
    for (const [id, { write, place, lastWord }] of this.entries) {
      if (write.type !== 'shown' || place === undefined || !this.#isPast(write, place.partition)) continue;
      // A write to an object that the watch follows is told by the watch; so it does not follow this one.
      this.drop(id, lastWord ?? { type: 'DELETED', object: write.object });
    }
  }

  dropExpired(at: number): void {
    for (const [id, { write, place, lastWord }] of this.entries) {
      if (write.expiresAt > at) continue;
      if (lastWord === undefined && place !== undefined) this.needsList = true;
      this.drop(id, lastWord);
    }
  }

  /** Ends an entry that the watch has not said, and shows what the watch said instead. */
  drop(id: string, lastWord: ChangeEvent<T> | undefined): void {
    const entry = this.entries.get(id);
    this.entries.delete(id);
    if (entry?.place === undefined || lastWord === undefined) return;
    const { write, place } = entry;
    // What is shown is the object of the write, so that is what goes.
    if (lastWord.type !== 'DELETED') this.show('MODIFIED', lastWord.object, place.partition);
    else if (write.type === 'shown') this.show('DELETED', write.object, place.partition);
  }

  /** Emits what the watch has not said, or said before. */
  show(type: ChangeEvent<T>['type'], object: T, partition: string | undefined): void {
    this.events.push({ type, object, ...(partition !== undefined && { partition }) });
    this.#disturbed.add(partition);
  }

  /** In place of an event that is held back: the watch has come this far all the same. */
  emitReached(partition: string | undefined): void {
    this.#disturbed.add(partition);
  }

  #emitReached(partition: string | undefined): void {
    const resourceVersion = this.#reached.get(partition) ?? '';
    if (resourceVersion === '') return;
    this.events.push({ type: 'BOOKMARK', resourceVersion, ...(partition !== undefined && { partition }) });
  }

  #placeOf(write: OverlayWrite<T>): { readonly partition: string | undefined } | undefined {
    for (const partition of this.#reached.keys()) if (belongsTo(write, partition)) return { partition };
    return undefined;
  }

  #isPast({ resourceVersion }: OverlayWrite<T>, partition: string | undefined): boolean {
    const order = compareResourceVersions(this.#reached.get(partition) ?? '', resourceVersion);
    return order !== undefined && order >= 0;
  }
}
