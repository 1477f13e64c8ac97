import { Observable, filter, map, startWith, take, type Observer } from 'rxjs';
import { entriesFrom, SortedMap } from '../../../store/sorted-map.js';
import { withResourceVersion, type StoredObject } from './stored-object.js';

/** A write, and its resource (`pods`, `deployments.apps`). */
export interface StorageCommit {
  readonly resource: string;
  readonly event: StorageEvent;
}

/** All objects of the server. Resources share one version counter, like etcd's revision. */
export class Storage {
  #resourceVersion = 1;
  readonly #resources = new Map<string, ResourceStorage>();
  readonly #dropped = new Set<string>();
  readonly #observers = new Set<Observer<StorageCommit>>();
  #closed = false;

  /** @param historyLimit events kept for each resource; watches that need older ones receive 410 */
  constructor(private readonly historyLimit = 10_000) {}

  /** The version of the latest write. */
  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  resource(name: string): ResourceStorage {
    const known = this.#resources.get(name);
    if (known) return known;
    const resource = new ResourceStorage({
      historyLimit: this.historyLimit,
      nextVersion: () => ++this.#resourceVersion,
      committed: (event) => {
        for (const observer of [...this.#observers]) observer.next({ resource: name, event });
      },
    });
    if (this.#dropped.has(name)) resource.history.compact(this.#resourceVersion + 1);
    if (this.#closed) resource.close();
    this.#resources.set(name, resource);
    return resource;
  }

  /** Removes a resource with its objects, its history and its watches. */
  drop(name: string): void {
    this.#resources.get(name)?.close();
    this.#resources.delete(name);
    this.#dropped.add(name);
  }

  /** Ends all watches, also those that begin later. */
  close(): void {
    this.#closed = true;
    for (const resource of this.#resources.values()) resource.close();
  }

  resources(): ReadonlyMap<string, ResourceStorage> {
    return this.#resources;
  }

  /** Emits each write after it was committed and its watchers were notified. */
  readonly commits$ = new Observable<StorageCommit>((subscriber) => {
    this.#observers.add(subscriber);
    return () => this.#observers.delete(subscriber);
  });

  /** Emits once, as soon as the storage is at least as new as `resourceVersion`. */
  reached$(resourceVersion: number): Observable<void> {
    return this.commits$.pipe(
      map(({ event }) => event.resourceVersion),
      startWith(this.#resourceVersion),
      filter((current) => current >= resourceVersion),
      map(() => undefined),
      take(1),
    );
  }

  /** Discards the history before `resourceVersion`; default: the whole history. */
  compact(resourceVersion = this.#resourceVersion): void {
    for (const resource of this.#resources.values()) resource.history.compact(resourceVersion);
  }
}

/** The objects of one resource by key (`namespace/name`, or `name`), and their history. */
export class ResourceStorage {
  readonly history: StorageHistory;
  readonly #objects = SortedMap.empty<StoredObject>().edit();
  readonly #listeners = new Set<() => void>();
  readonly #nextVersion: () => number;
  readonly #committed: (event: StorageEvent) => void;
  #closed = false;

  constructor(options: {
    readonly historyLimit: number;
    readonly nextVersion: () => number;
    /** Called after each write, when the watchers have been notified. */
    readonly committed: (event: StorageEvent) => void;
  }) {
    this.history = new StorageHistory(options.historyLimit);
    this.#nextVersion = options.nextVersion;
    this.#committed = options.committed;
  }

  /** True if the resource is no longer served. Its watches then end. */
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

  /** Creates or replaces an object. Returns it with the version of this write. */
  put(key: string, object: StoredObject): StoredObject {
    const previous = this.#objects.get(key);
    const resourceVersion = this.#nextVersion();
    const stored = withResourceVersion(object, String(resourceVersion));
    this.#objects.set(key, stored);
    this.#commit({ type: previous ? 'MODIFIED' : 'ADDED', resourceVersion, key, object: stored, previous });
    return stored;
  }

  /** Removes an object. Watchers receive `final`, with the version of the deletion. */
  remove(key: string, final?: StoredObject): StoredObject | undefined {
    const previous = this.#objects.get(key);
    if (previous === undefined) return undefined;
    const resourceVersion = this.#nextVersion();
    const object = withResourceVersion(final ?? previous, String(resourceVersion));
    this.#objects.delete(key);
    this.#commit({ type: 'DELETED', resourceVersion, key, object, previous });
    return object;
  }

  /** Iterates from `start` over current keys with `prefix`, in order, without later writes. */
  scan(prefix = '', start = prefix): Iterable<readonly [key: string, object: StoredObject]> {
    return scanned(this.#objects.finish(), prefix, start);
  }

  /** Like `scan`, at an older version; `'discarded'` if the history no longer has it. */
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

  /** Calls `listener` after each commit. Returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    const entry = (): void => listener();
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

/** A committed write. `previous` allows older states to be computed. */
export interface StorageEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The version of this write, which is also the version of `object`. */
  readonly resourceVersion: number;
  readonly key: string;
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
}

/**
 * Keeps the recent writes to one resource, numbered from 0 without gaps. A reader keeps only the
 * number of its next event, not a buffer. So a slow reader costs nothing. If the history discards
 * an event before the reader has read it, the watch fails.
 */
export class StorageHistory {
  #events: StorageEvent[] = [];
  #firstSequence = 0;
  #newestDiscarded = 0;
  #compacted = 0;

  constructor(readonly limit: number) {}

  /** The number of the next event. */
  get end(): number {
    return this.#firstSequence + this.#events.length;
  }

  append(event: StorageEvent): void {
    this.#events.push(event);
    // Discards only at twice the limit, so that the cost of moving the remaining events is spread
    // over many appends.
    if (this.#events.length >= this.limit * 2) this.#discard(this.#events.length - this.limit);
  }

  /** `'discarded'` if it was discarded, `undefined` if it does not exist yet. */
  at(sequence: number): StorageEvent | 'discarded' | undefined {
    return sequence < this.#firstSequence ? 'discarded' : this.#events[sequence - this.#firstSequence];
  }

  /** Returns the number of the first later event, or `'discarded'` if one was discarded. */
  after(resourceVersion: number): number | 'discarded' {
    if (resourceVersion < this.#newestDiscarded || resourceVersion + 1 < this.#compacted) return 'discarded';
    return this.#firstSequence + this.#indexAfter(resourceVersion);
  }

  /** Returns later events, or `'discarded'` if the state at that version is no longer known. */
  since(resourceVersion: number): readonly StorageEvent[] | 'discarded' {
    if (resourceVersion < this.#newestDiscarded || resourceVersion < this.#compacted) return 'discarded';
    return this.#events.slice(this.#indexAfter(resourceVersion));
  }

  /** The oldest version from which a watch may start. */
  get oldest(): number {
    return Math.max(this.#newestDiscarded, this.#compacted - 1, 0);
  }

  /** Discards the events before `resourceVersion`, and so older states, as etcd does. */
  compact(resourceVersion: number): void {
    this.#compacted = Math.max(this.#compacted, resourceVersion);
    this.#discard(this.#indexAfter(resourceVersion - 1));
  }

  /** Returns the latest events, up to `limit`. */
  all(): readonly StorageEvent[] {
    return this.#events.slice(-this.limit);
  }

  #discard(count: number): void {
    const newest = this.#events[count - 1];
    if (newest === undefined) return;
    this.#newestDiscarded = newest.resourceVersion;
    this.#events = this.#events.slice(count);
    this.#firstSequence += count;
  }

  #indexAfter(resourceVersion: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const event = this.#events[middle];
      if (event !== undefined && event.resourceVersion <= resourceVersion) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
