import { unversionedObjectError } from '../../kubernetes/errors.js';
import { metaNamespaceKey } from '../../kubernetes/keys.js';
import {
  compareResourceVersions,
  isSameIncarnation,
  type KubernetesObject,
  resourceVersionOf,
  uidOf,
} from '../../kubernetes/object.js';
import type { ChangeEvent, ListedEvent, WatchEvent, WatchEventBatch } from '../model/watch-event.js';

/** The state of one subscription to an overlaid source. */
export interface State<T> {
  /** The writes that the watch has not reported yet, by `writeId`, in the order of expiry. */
  readonly entries: ReadonlyMap<string, ShownEntry<T>>;
  /** The listed partitions and the versions that they have emitted; `''` if not known. */
  readonly reached: ReadonlyMap<string | undefined, string>;
  /**
   * The last objects reported as deleted and not since: the version of the deletion by uid. Older
   * writes to them are ignored. With a selector, objects that stopped matching are among them.
   */
  readonly deleted: ReadonlyMap<string, string>;
}

export interface ShownEntry<T> {
  readonly write: Write<T>;
  /** The partition in which the write is shown; `undefined` before its first list. */
  readonly place: { readonly partition: string | undefined } | undefined;
  /** The last held back event of the watch. Absence from a list counts as a `DELETED`. */
  readonly lastWord: ChangeEvent<T> | undefined;
}

export type Input<T> =
  | { readonly type: 'write'; readonly write: Write<T> }
  /** The source emitted a batch. */
  | { readonly type: 'batch'; readonly batch: WatchEventBatch<T> }
  /** The writes whose `expiresAt` is not later than `at` expire. */
  | { readonly type: 'expired'; readonly at: number };

/** Returns the initial state. Writes that are shown before the first list wait for it. */
export function stateOfWrites<T>(writes: Iterable<readonly [string, Write<T>]>): State<T> {
  const entries = new Map<string, ShownEntry<T>>();
  for (const [id, write] of writes) entries.set(id, { write, place: undefined, lastWord: undefined });
  return { entries, reached: new Map(), deleted: new Map() };
}

/** The response of the server to a write, shown until the watch reports it. */
export interface Write<T> {
  readonly type: 'shown' | 'deleted';
  readonly object: T;
  /** The key of the object: `namespace/name`. */
  readonly key: string;
  readonly resourceVersion: string;
  /** The partition of the object, if the caller named one. */
  readonly partition: string | undefined;
  /** The scheduler's time, in milliseconds, at which the write is dropped even if unreported. */
  readonly expiresAt: number;
}

export function shownWrite<T>(
  type: Write<T>['type'],
  object: T,
  { partition, expiresAt }: Pick<Write<T>, 'partition' | 'expiresAt'>,
): Write<T> {
  const key = metaNamespaceKey(object as KubernetesObject);
  const resourceVersion = versionOf(object);
  if (resourceVersion === '') throw unversionedObjectError(key);
  return { type, object, key, resourceVersion, partition, expiresAt };
}

/** Returns the key of a write in `entries`. Each object of each partition has at most one write. */
export function writeId(key: string, partition: string | undefined): string {
  return partition === undefined ? key : `${partition}\n${key}`;
}

/** Returns the resourceVersion of an object, `''` if it has none. */
export function versionOf(object: unknown): string {
  return resourceVersionOf(object) ?? '';
}

/**
 * Returns true if the object belongs to `partition`. If the caller named none, the source is not
 * merged, or the partition is named like the namespace, as in `listWatch` of several.
 */
function belongsTo(write: Write<unknown>, partition: string | undefined): boolean {
  return write.partition === partition || (write.partition === undefined && partition === namespaceOf(write.object));
}

function namespaceOf(object: unknown): string | undefined {
  return (object as KubernetesObject | null | undefined)?.metadata?.namespace;
}

/**
 * Returns true if a write replaces another write to the same object, in any order of arrival. The
 * later version wins, and a deleted incarnation is not shown again (H4).
 */
export function supersedes(next: Write<unknown>, existing: Write<unknown>): boolean {
  const order = compareResourceVersions(next.resourceVersion, existing.resourceVersion);
  if (isSameIncarnation(next.object, existing.object) === true && next.type !== existing.type) {
    return next.type === 'deleted';
  }
  if (order === 0) return next.type === 'deleted' && existing.type === 'shown';
  return order === undefined || order > 0;
}

/**
 * The largest number of deletions that are remembered. Each batch with a deletion copies them, so
 * the number must not grow with the age of the subscription.
 */
const maxDeletions = 1000;

/** A mutable copy of the state for one step, and the events that the step emits. */
export class Draft<T> {
  readonly entries: Map<string, ShownEntry<T>>;
  readonly events: WatchEvent<T>[] = [];
  /** True if only a new list can tell the current state of an object. */
  needsList = false;
  readonly #reached: Map<string | undefined, string>;
  #deleted: ReadonlyMap<string, string>;
  #deletedNow: Map<string, string> | undefined;
  /** Partitions where this step emitted an object of another version than the watch reached. */
  readonly #disturbed = new Set<string | undefined>();

  constructor(
    state: State<T>,
    private readonly limit: number,
  ) {
    this.entries = new Map(state.entries);
    this.#reached = new Map(state.reached);
    this.#deleted = state.deleted;
  }

  finish(): State<T> {
    for (const partition of this.#disturbed) this.#emitReached(partition);
    return { entries: this.entries, reached: this.#reached, deleted: this.#deleted };
  }

  /**
   * Records the version of a list, even an older one. A member that leaves a merged source emits an
   * empty list without a version, so its partition is forgotten. An empty merged source lists
   * without a partition, which counts until the first member lists.
   */
  listed({ partition, resourceVersion, items }: ListedEvent<T>): void {
    if (partition !== undefined) this.#reached.delete(undefined);
    if (partition !== undefined && resourceVersion === '' && items.length === 0) this.#reached.delete(partition);
    else this.#reached.set(partition, resourceVersion);
  }

  /** Records a version, unless it is older: a `DELETED` may carry that before the deletion. */
  moved(partition: string | undefined, resourceVersion: string): void {
    if (resourceVersion === '') return;
    const before = this.#reached.get(partition) ?? '';
    if ((compareResourceVersions(resourceVersion, before) ?? 1) > 0) this.#reached.set(partition, resourceVersion);
  }

  sawDeleted(object: T): void {
    const uid = uidOf(object);
    if (uid === undefined) return;
    const deleted = this.#changeDeleted();
    deleted.set(uid, versionOf(object));
    const [oldest] = deleted.keys();
    if (deleted.size > Math.min(this.limit, maxDeletions) && oldest !== undefined) deleted.delete(oldest);
  }

  /** Forgets the deletion of an object that matches the selector of the source again. */
  sawAlive(object: T): void {
    if (this.#deleted.size === 0) return;
    const uid = uidOf(object) ?? '';
    const deletedAt = this.#deleted.get(uid);
    if (deletedAt === undefined) return;
    if ((compareResourceVersions(versionOf(object), deletedAt) ?? 1) > 0) this.#changeDeleted().delete(uid);
  }

  /** Returns the entry for an event or list item of this key and partition, with its id. */
  entryOf(key: string, partition: string | undefined): readonly [string, ShownEntry<T>] | undefined {
    for (const id of new Set([writeId(key, partition), key])) {
      const entry = this.entries.get(id);
      if (entry !== undefined && belongsTo(entry.write, partition)) return [id, entry];
    }
    return undefined;
  }

  write(write: Write<T>): void {
    const id = writeId(write.key, write.partition);
    const existing = this.entries.get(id);
    const place = existing?.place ?? this.#placeOf(write);
    if (existing !== undefined && !supersedes(write, existing.write)) return;
    if (existing === undefined && this.entries.size >= this.limit) return;
    if (this.#isDeleted(write)) return;
    if (place !== undefined && write.type === 'shown' && this.#isPast(write, place.partition)) return;
    // Moves the write to the end, because it expires last.
    this.entries.delete(id);
    this.entries.set(id, { write, place, lastWord: existing?.lastWord });
    if (place === undefined) return;
    if (write.type === 'shown') {
      this.show('MODIFIED', write.object, place.partition, true);
      return;
    }
    const before = existing?.write;
    if (before?.type === 'shown' && isSameIncarnation(before.object, write.object) === false) {
      this.show('DELETED', before.object, place.partition, true);
    }
    this.show('DELETED', write.object, place.partition, true);
  }

  /** Drops writes whose version the watch has passed: it will never report them. */
  dropPassed(): void {
    for (const [id, { write, place, lastWord }] of this.entries) {
      if (write.type !== 'shown' || place === undefined || !this.#isPast(write, place.partition)) continue;
      // The watch reports every write to objects that it follows, so it does not follow this one.
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

  /** Ends an entry that the watch has not reported, and shows the held back `lastWord`. */
  drop(id: string, lastWord: ChangeEvent<T> | undefined): void {
    const entry = this.entries.get(id);
    this.entries.delete(id);
    if (entry?.place === undefined || lastWord === undefined) return;
    const { write, place } = entry;
    // Subscribers hold the object of the write, so the deletion carries that object.
    if (lastWord.type !== 'DELETED') this.show('MODIFIED', lastWord.object, place.partition);
    else if (write.type === 'shown') this.show('DELETED', write.object, place.partition);
  }

  /** Emits a write that the watch has not reported, or an event that was held back. */
  show(type: ChangeEvent<T>['type'], object: T, partition: string | undefined, isUrgent = false): void {
    this.events.push({
      type,
      object,
      ...(partition !== undefined && { partition }),
      ...(isUrgent && { isUrgent: true as const }),
    });
    this.#disturbed.add(partition);
  }

  /** Emits the version that the watch has reached, in place of an event that is held back. */
  emitReached(partition: string | undefined): void {
    this.#disturbed.add(partition);
  }

  #emitReached(partition: string | undefined): void {
    const resourceVersion = this.#reached.get(partition) ?? '';
    if (resourceVersion === '') return;
    this.events.push({ type: 'BOOKMARK', resourceVersion, ...(partition !== undefined && { partition }) });
  }

  #placeOf(write: Write<T>): { readonly partition: string | undefined } | undefined {
    for (const partition of this.#reached.keys()) if (belongsTo(write, partition)) return { partition };
    return undefined;
  }

  /** Returns true if the watch has reported that the object of a write was deleted after it. */
  #isDeleted({ type, object, resourceVersion }: Write<T>): boolean {
    const deletedAt = this.#deleted.get(uidOf(object) ?? '');
    if (deletedAt === undefined) return false;
    return type === 'deleted' || (compareResourceVersions(resourceVersion, deletedAt) ?? 0) <= 0;
  }

  #changeDeleted(): Map<string, string> {
    this.#deletedNow ??= new Map(this.#deleted);
    this.#deleted = this.#deletedNow;
    return this.#deletedNow;
  }

  #isPast({ resourceVersion }: Write<T>, partition: string | undefined): boolean {
    const order = compareResourceVersions(this.#reached.get(partition) ?? '', resourceVersion);
    return order !== undefined && order >= 0;
  }
}

/** The relation of an event to a write: it is older and held back, ends the write, or neither. */
export type Verdict = 'late' | 'ends' | 'unrelated';

/**
 * Compares an event of the watch with a write to the same object. Pure.
 *
 * | write | event | verdict |
 * | --- | --- | --- |
 * | shown | of an older version, of any type | late |
 * | shown | of the same or a newer version | ends |
 * | shown | `DELETED` of another incarnation, if versions cannot be compared | unrelated |
 * | shown | every other event, if versions cannot be compared | ends, because the watch takes
 * precedence |
 * | deleted | `ADDED` or `MODIFIED` of the same incarnation | late, regardless of its version |
 * | deleted | `DELETED` of the same incarnation | ends |
 * | deleted | `ADDED` or `MODIFIED` of another incarnation | late if it is older; otherwise ends,
 * because the object was created again |
 * | deleted | `DELETED` of another incarnation | ends if it is newer, otherwise unrelated |
 * | deleted | `ADDED` or `MODIFIED` without a uid | late unless it is newer |
 * | deleted | `DELETED` without a uid | ends |
 */
export function verdictOn<T>(write: Write<T>, { type, object }: ChangeEvent<T>): Verdict {
  const order = compareResourceVersions(versionOf(object), write.resourceVersion);
  const isSame = isSameIncarnation(write.object, object);
  if (write.type === 'shown') {
    if (order !== undefined) return order < 0 ? 'late' : 'ends';
    return type === 'DELETED' && isSame === false ? 'unrelated' : 'ends';
  }
  if (type === 'DELETED') return isSame !== false || (order ?? -1) > 0 ? 'ends' : 'unrelated';
  if (isSame === true) return 'late';
  return (order ?? 1) < (isSame === false ? 0 : 1) ? 'late' : 'ends';
}
