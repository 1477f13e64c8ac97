import { objectKey } from '../../kubernetes/keys.js';
import { type KubernetesObject } from '../../kubernetes/object.js';
import type { KnownObjects } from '../model/source.js';
import type { BookmarkEvent, ChangeEvent, WatchEvent, WatchEventBatch } from '../model/watch-event.js';
import { writeId } from './protocol.js';

/** A change to an object. The API server has not yet answered the request for this change. */
export interface Attempt<T> {
  /** The key of the object: `namespace/name`. */
  readonly key: string;
  readonly partition: string | undefined;
  readonly change: (object: T) => T;
}

/**
 * Applies the attempts for one subscription to an overlaid source. All subscriptions share the
 * attempts. Each subscription keeps the last state that its watch reported.
 */
export class ShownAttempts<T> {
  /** The last state that the watch reported, for each object that an attempt changes. */
  readonly #words = new Map<string, T>();

  constructor(
    private readonly attempts: ReadonlySet<Attempt<T>>,
    private readonly known: Pick<KnownObjects<T>, 'get'> | undefined,
    /** Returns the version that the watch has reached; undefined before the first list. */
    private readonly reached: (partition: string | undefined) => string | undefined,
  ) {}

  /**
   * Returns the event to emit before `changed` is called, if any. It changes nothing. It is urgent,
   * so an informer finishes a long list first. Otherwise `known` could return a replaced object.
   */
  beforeChanged({ key, partition }: Attempt<T>): BookmarkEvent | undefined {
    const [at, version] = this.#placeOf(key, partition);
    const readsKnown = this.known !== undefined && version !== undefined && !this.#words.has(writeId(key, at));
    if (!readsKnown || this.#changesOf(key, at).length === 0) return undefined;
    return { ...reachedEvent(at, version), isUrgent: true };
  }

  /** Returns the batch for the begin or end of an attempt; empty if the object is not held. */
  changed({ key, partition }: Attempt<T>): WatchEventBatch<T> {
    const [at, version] = this.#placeOf(key, partition);
    if (version === undefined) return [];
    const id = writeId(key, at);
    const word = this.#words.get(id) ?? this.known?.get(key, at);
    if (word === undefined) return [];
    const changes = this.#changesOf(key, at);
    if (changes.length > 0) this.#words.set(id, word);
    else if (!this.#words.delete(id)) return [];
    const from = at === undefined ? {} : { partition: at };
    const modified: ChangeEvent<T> = { type: 'MODIFIED', object: changed(word, changes), isUrgent: true, ...from };
    return version === '' ? [modified] : [modified, reachedEvent(at, version)];
  }

  /** Returns a batch of the overlay with the changes of all attempts. */
  pass(batch: WatchEventBatch<T>): WatchEventBatch<T> {
    if (this.attempts.size === 0) return batch;
    return batch.map((event) => this.#passed(event));
  }

  #passed(event: WatchEvent<T>): WatchEvent<T> {
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        return { ...event, object: this.#shown(event.object, event.partition) };
      case 'DELETED':
        this.#forget(event);
        return event;
      case 'LISTED': {
        const missing = new Set(event.missing);
        for (const { key } of this.attempts) {
          if (!missing.has(key)) this.#words.delete(writeId(key, event.partition));
        }
        return { ...event, items: event.items.map((item) => this.#shown(item, event.partition)) };
      }
      default:
        return event;
    }
  }

  #shown(object: T, partition: string | undefined): T {
    const key = objectKey(object);
    const changes = key === undefined ? [] : this.#changesOf(key, partition);
    if (key === undefined || changes.length === 0) return object;
    this.#words.set(writeId(key, partition), object);
    return changed(object, changes);
  }

  #forget({ object, partition }: ChangeEvent<T>): void {
    const key = objectKey(object);
    if (key !== undefined) this.#words.delete(writeId(key, partition));
  }

  #changesOf(key: string, partition: string | undefined): readonly Attempt<T>[] {
    return [...this.attempts].filter(
      (attempt) => attempt.key === key && this.#placeOf(key, attempt.partition)[0] === partition,
    );
  }

  /**
   * Returns the partition of an object, and the version that it has reached. If the attempt names
   * no partition, it is `undefined` for an unmerged source, and otherwise named like the namespace.
   */
  #placeOf(key: string, partition: string | undefined): readonly [string | undefined, string | undefined] {
    const version = this.reached(partition);
    if (version !== undefined || partition !== undefined) return [partition, version];
    const slash = key.indexOf('/');
    const namespace = slash === -1 ? undefined : key.slice(0, slash);
    return namespace === undefined ? [undefined, undefined] : [namespace, this.reached(namespace)];
  }
}

/** Returns a bookmark of the version that a partition has reached; `''` if it is not known. */
function reachedEvent(partition: string | undefined, resourceVersion: string): BookmarkEvent {
  return { type: 'BOOKMARK', resourceVersion, ...(partition !== undefined && { partition }) };
}

/**
 * Returns the object with all attempted changes, except those that throw. It has no
 * resourceVersion, because a store considers two objects with the same version to be equal.
 */
function changed<T>(word: T, attempts: readonly Attempt<T>[]): T {
  const object = attempts.reduce((before, { change }) => {
    try {
      return change(before);
    } catch {
      return before;
    }
  }, word);
  return object === word ? word : withoutVersion(object);
}

function withoutVersion<T>(object: T): T {
  const { metadata } = object as KubernetesObject;
  if (metadata === undefined) return object;
  const { resourceVersion: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
