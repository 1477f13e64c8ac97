import type { StoredObject } from './stored-object.js';

/** One committed write. `previous` is what the key held before, so that a history can be read backwards. */
export interface StorageEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The version this write made; `object` carries it too. */
  readonly resourceVersion: number;
  readonly key: string;
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
}

/**
 * The recent writes to one resource, numbered from 0 without gaps: readers keep a number instead of a buffer, so a
 * slow one costs nothing until what it still needs is discarded.
 */
export class History {
  #events: StorageEvent[] = [];
  #firstSequence = 0;
  #newestDiscarded = 0;
  #compacted = 0;

  constructor(readonly limit: number) {}

  /** The number that the next event will get. */
  get end(): number {
    return this.#firstSequence + this.#events.length;
  }

  append(event: StorageEvent): void {
    this.#events.push(event);
    // Twice the limit, so that the cost of moving the rest is spread over as many appends.
    if (this.#events.length >= this.limit * 2) this.#discard(this.#events.length - this.limit);
  }

  /** The event with this number; `'discarded'` where it has been forgotten, undefined where it is yet to come. */
  at(sequence: number): StorageEvent | 'discarded' | undefined {
    return sequence < this.#firstSequence ? 'discarded' : this.#events[sequence - this.#firstSequence];
  }

  /** The number of the first event newer than `resourceVersion`, or `'discarded'` where one of them has been forgotten. */
  after(resourceVersion: number): number | 'discarded' {
    if (resourceVersion < this.#newestDiscarded || resourceVersion + 1 < this.#compacted) return 'discarded';
    return this.#firstSequence + this.#indexAfter(resourceVersion);
  }

  /** The events newer than `resourceVersion`, or `'discarded'` where the state at that version is no longer known. */
  since(resourceVersion: number): readonly StorageEvent[] | 'discarded' {
    if (resourceVersion < this.#newestDiscarded || resourceVersion < this.#compacted) return 'discarded';
    return this.#events.slice(this.#indexAfter(resourceVersion));
  }

  /** The oldest version that a watch may start from. */
  get oldest(): number {
    return Math.max(this.#newestDiscarded, this.#compacted - 1, 0);
  }

  /** Forgets every state older than `resourceVersion`, as etcd's compaction does. */
  compact(resourceVersion: number): void {
    this.#compacted = Math.max(this.#compacted, resourceVersion);
    this.#discard(this.#indexAfter(resourceVersion - 1));
  }

  all(): readonly StorageEvent[] {
    return this.#events;
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
