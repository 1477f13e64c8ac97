import { Observable, Subject } from 'rxjs';
import type { KeyFunction } from '../kubernetes/key.js';
import { UnversionedObjectError } from '../kubernetes/unversioned-object-error.js';
import type { Selection } from '../sources/source.js';
import type { WatchEvent } from '../sources/watch-event.js';
import { isAnotherIncarnation, resourceVersionOf, uidOf } from '../store/identity.js';
import type { CommitLog } from './commit-log.js';
import { hasObserved } from './has-observed.js';
import type { ObservedOptions } from './observes-writes.js';

/**
 * Tells those who wait for a write that the cache has caught up with it.
 *
 * Each batch wakes them, bookmarks included, which move the version and change nothing. A merged store has no version of its own, so that
 * of each partition is noted here.
 */
export class ObservedWrites<T> {
  readonly #delivered = new Subject<void>();
  readonly #partitions = new Map<string, string>();

  constructor(
    private readonly log: CommitLog<T>,
    private readonly keyOf: KeyFunction<T>,
    private readonly selects: Selection = () => true,
  ) {}

  /** Called for each batch, when it stands in the cache and has been announced. */
  delivered(batch: readonly WatchEvent<T>[]): void {
    for (const event of batch) this.#note(event);
    this.#delivered.next();
  }

  /** The cache has been emptied. */
  reset(): void {
    this.#partitions.clear();
  }

  observed$(object: T, { partition, deleted = false }: ObservedOptions = {}): Observable<void> {
    const key = this.keyOf(object, partition);
    const isIdentified = deleted && uidOf(object) !== undefined;
    if (!isIdentified && resourceVersionOf(object) === undefined) throw new UnversionedObjectError(key);
    const isSelected = this.selects(object);
    const awaited = deleted ? 'deleted' : 'written';
    // By hand, because the end of the log and the batches that are no commit are heard in two ways.
    return new Observable((subscriber) => {
      let wasHeld = false;
      const look = (): void => {
        const { latest } = this.log;
        const held = latest.get(key);
        wasHeld ||= held !== undefined && !isAnotherIncarnation(object, held);
        // An empty cache says nothing before its first list.
        if (latest.version === 0) return;
        const seen = { held, wasHeld, isSelected, reached: this.#reached(partition) };
        if (!hasObserved(seen, object, awaited)) return;
        subscriber.next();
        subscriber.complete();
      };
      subscriber.add(
        this.log.listeners.addToKey(key, {
          announce: look,
          complete: () => {
            subscriber.complete();
          },
        }),
      );
      subscriber.add(this.#delivered.subscribe(look));
      // As a round of its own: a log that is complete completes whoever comes.
      this.log.welcome(look);
    });
  }

  #note(event: WatchEvent<T>): void {
    const { partition } = event;
    if (partition === undefined) return;
    const version = versionAfter(event);
    if (version === undefined) return;
    if (isListOfNothing(event)) this.#partitions.delete(partition);
    else this.#partitions.set(partition, version);
  }

  #reached(partition: string | undefined): readonly string[] {
    if (partition !== undefined) return [this.#partitions.get(partition) ?? ''];
    return this.#partitions.size > 0 ? [...this.#partitions.values()] : [this.log.latest.resourceVersion];
  }
}

function versionAfter<T>(event: WatchEvent<T>): string | undefined {
  switch (event.type) {
    case 'LISTED':
    case 'BOOKMARK':
      return event.resourceVersion;
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return resourceVersionOf(event.object);
    case 'ERROR':
    case 'STATUS':
      return undefined;
  }
}

/** How a merged source says that a partition is there no more: its version is no longer waited for. */
function isListOfNothing(event: WatchEvent<unknown>): boolean {
  return event.type === 'LISTED' && event.items.length === 0 && event.resourceVersion === '';
}
