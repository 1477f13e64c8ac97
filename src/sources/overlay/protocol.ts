import { UnversionedObjectError } from '../../kubernetes/errors.js';
import { metaNamespaceKey, compareResourceVersions, type KubernetesObject } from '../../kubernetes/object.js';
import type { ChangeEvent, WatchEvent, WatchEventBatch } from '../model/watch-event.js';

/** What one subscription to an overlaid source is in the middle of. */
export interface State<T> {
  /** The writes that the watch has not said yet, by `writeId`, the first to expire first. */
  readonly entries: ReadonlyMap<string, Entry<T>>;
  /** What has been listed, by partition, and up to which version it has been told; `''` where nobody knows. */
  readonly reached: ReadonlyMap<string | undefined, string>;
  /** The uids of the objects that the watch saw go last: a write to one of them comes too late. */
  readonly deleted: ReadonlySet<string>;
}

export interface Entry<T> {
  readonly write: Write<T>;
  /** Where it is shown; none before the list that it belongs to. */
  readonly place: { readonly partition: string | undefined } | undefined;
  /** What the watch has said of the object meanwhile, and nobody has heard; absent from a list is a `DELETED`. */
  readonly lastWord: ChangeEvent<T> | undefined;
}

export type Input<T> =
  | { readonly type: 'write'; readonly write: Write<T> }
  /** The source emits. */
  | { readonly type: 'batch'; readonly batch: WatchEventBatch<T> }
  /** The time of the writes that expire at `at`, or before it, is over. */
  | { readonly type: 'expired'; readonly at: number };

/** A state that begins: writes that were told before wait for the list. */
export function initialState<T>(writes: Iterable<readonly [string, Write<T>]>): State<T> {
  const entries = new Map<string, Entry<T>>();
  for (const [id, write] of writes) entries.set(id, { write, place: undefined, lastWord: undefined });
  return { entries, reached: new Map(), deleted: new Set() };
}

/** What the server answered to a write, to be shown until the watch says it. */
export interface Write<T> {
  readonly type: 'shown' | 'deleted';
  readonly object: T;
  /** `namespace/name`. */
  readonly key: string;
  readonly resourceVersion: string;
  /** Of which merged source the object is, where the caller said so. */
  readonly partition: string | undefined;
  /** When it is dropped though the watch has not said it, in milliseconds on the clock of the scheduler. */
  readonly expiresAt: number;
}

export function writeOf<T>(
  type: Write<T>['type'],
  object: T,
  { partition, expiresAt }: Pick<Write<T>, 'partition' | 'expiresAt'>,
): Write<T> {
  const key = metaNamespaceKey(object as KubernetesObject);
  const resourceVersion = versionOf(object);
  if (resourceVersion === '') throw new UnversionedObjectError(key);
  return { type, object, key, resourceVersion, partition, expiresAt };
}

/** Under which a write is kept: one of each object of each partition. */
export function writeId(key: string, partition: string | undefined): string {
  return partition === undefined ? key : `${partition}\n${key}`;
}

/** `''` where there is none. */
export function versionOf(object: unknown): string {
  return metadataOf(object)?.resourceVersion ?? '';
}

export function uidOf(object: unknown): string | undefined {
  return metadataOf(object)?.uid;
}

/** Whether two objects under one key are one and the same, by their uids; `undefined` where one has none. */
export function isSameIncarnation(one: unknown, other: unknown): boolean | undefined {
  const [uid, otherUid] = [uidOf(one), uidOf(other)];
  return uid === undefined || otherUid === undefined ? undefined : uid === otherUid;
}

/**
 * Whether an event or list of `partition` speaks of the object of a write. Where the caller named no partition, it is that of a source on
 * its own, or the one named like the object's namespace, as `listWatch` names those of several namespaces.
 */
export function belongsTo(write: Write<unknown>, partition: string | undefined): boolean {
  return write.partition === partition || (write.partition === undefined && partition === namespaceOf(write.object));
}

export function namespaceOf(object: unknown): string | undefined {
  return metadataOf(object)?.namespace;
}

/**
 * Whether a write takes the place of another one to the same object, whichever was told first: the later one counts, and nothing shows
 * an incarnation again that was deleted (H4).
 */
export function supersedes(next: Write<unknown>, existing: Write<unknown>): boolean {
  const order = compareResourceVersions(next.resourceVersion, existing.resourceVersion);
  if (isSameIncarnation(next.object, existing.object) === true && next.type !== existing.type) {
    return next.type === 'deleted';
  }
  if (order === 0) return next.type === 'deleted' && existing.type === 'shown';
  return order === undefined || order > 0;
}

function metadataOf(object: unknown): KubernetesObject['metadata'] {
  return (object as KubernetesObject | null | undefined)?.metadata;
}

/** A state while one step is made of it, and what is to be emitted for that. */
export class Draft<T> {
  readonly entries: Map<string, Entry<T>>;
  readonly events: WatchEvent<T>[] = [];
  /** Whether only a new list can tell what is to be shown now. */
  needsList = false;
  readonly #reached: Map<string | undefined, string>;
  #deleted: ReadonlySet<string>;
  #deletedNow: Set<string> | undefined;
  /** Where something was emitted whose version is not that which the watch has reached. */
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
  entryOf(key: string, partition: string | undefined): readonly [string, Entry<T>] | undefined {
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

  #placeOf(write: Write<T>): { readonly partition: string | undefined } | undefined {
    for (const partition of this.#reached.keys()) if (belongsTo(write, partition)) return { partition };
    return undefined;
  }

  #isPast({ resourceVersion }: Write<T>, partition: string | undefined): boolean {
    const order = compareResourceVersions(this.#reached.get(partition) ?? '', resourceVersion);
    return order !== undefined && order >= 0;
  }
}

/** What an event of the watch is to a write to the same object: older and held back, its end, or of no concern to it. */
export type Verdict = 'late' | 'ends' | 'unrelated';

/**
 * What the watch says against what the server answered. Pure.
 *
 * | write | event | verdict |
 * | --- | --- | --- |
 * | shown | of an older version, whatever it is | late |
 * | | of the same or a newer version | ends |
 * | | nobody can tell: a delete of another incarnation | unrelated |
 * | | nobody can tell: anything else | ends: the watch is right |
 * | deleted | the same incarnation, there | late, whatever its version |
 * | | the same incarnation, deleted | ends |
 * | | another incarnation, there | late if it is older, otherwise it ends: created again |
 * | | another incarnation, deleted | ends if it is newer, otherwise unrelated |
 * | | no uid, there | late unless it is newer |
 * | | no uid, deleted | ends |
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
