import { entriesFrom, SortedMap } from '../../../store/sorted-map.js';
import { History, type StorageEvent } from './history.js';
import { withResourceVersion, type StoredObject } from './stored-object.js';

/** The objects of one resource by key (`namespace/name`, or `name`), and their recent history. */
export class ResourceStorage {
  readonly history: History;
  readonly #objects = SortedMap.empty<StoredObject>().edit();
  readonly #listeners = new Set<() => void>();
  readonly #nextVersion: () => number;
  readonly #committed: (event: StorageEvent) => void;
  #closed = false;

  constructor(options: {
    readonly historyLimit: number;
    readonly nextVersion: () => number;
    /** Called after each write, when the watchers have been told. */
    readonly committed: (event: StorageEvent) => void;
  }) {
    this.history = new History(options.historyLimit);
    this.#nextVersion = options.nextVersion;
    this.#committed = options.committed;
  }

  /** The resource is no longer served; watches end. */
  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
    this.#notify();
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  /** Creates or replaces; the stored object carries the version that this write made. */
  put(key: string, object: StoredObject): StoredObject {
    const previous = this.#objects.get(key);
    const resourceVersion = this.#nextVersion();
    const stored = withResourceVersion(object, String(resourceVersion));
    this.#objects.set(key, stored);
    this.#commit({ type: previous ? 'MODIFIED' : 'ADDED', resourceVersion, key, object: stored, previous });
    return stored;
  }

  /** Removes; `final` is the state that watchers see, stamped with the version of the deletion. */
  remove(key: string, final?: StoredObject): StoredObject | undefined {
    const previous = this.#objects.get(key);
    if (previous === undefined) return undefined;
    const resourceVersion = this.#nextVersion();
    const object = withResourceVersion(final ?? previous, String(resourceVersion));
    this.#objects.delete(key);
    this.#commit({ type: 'DELETED', resourceVersion, key, object, previous });
    return object;
  }

  /** The objects whose key begins with `prefix`, from `start` on, in key order, as they are now: later writes do not show in it. */
  scan(prefix = '', start = prefix): Iterable<readonly [key: string, object: StoredObject]> {
    return scanned(this.#objects.finish(), prefix, start);
  }

  /** The same as of an older version; `'discarded'` where the history no longer reaches back that far. */
  scanAt(
    resourceVersion: number,
    prefix: string,
    start: string,
  ): Iterable<readonly [string, StoredObject]> | 'discarded' {
    const since = this.history.since(resourceVersion);
    if (since === 'discarded') return 'discarded';
    if (since.length === 0) return this.scan(prefix, start);
    const then = this.#objects.finish().edit();
    for (const event of [...since].reverse()) {
      if (event.previous) then.set(event.key, event.previous);
      else then.delete(event.key);
    }
    return scanned(then.finish(), prefix, start);
  }

  /** Calls `listener` after each commit; returns the way to stop that. */
  listen(listener: () => void): () => void {
    const entry = (): void => {
      listener();
    };
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  #commit(event: StorageEvent): void {
    this.history.append(event);
    this.#notify();
    this.#committed(event);
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) listener();
  }
}

function* scanned(
  objects: SortedMap<StoredObject>,
  prefix: string,
  start: string,
): Generator<readonly [string, StoredObject]> {
  for (const entry of entriesFrom(objects, start < prefix ? prefix : start)) {
    if (!entry[0].startsWith(prefix)) return;
    yield entry;
  }
}
