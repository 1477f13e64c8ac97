import type { WatchEvent } from '../sources/model/watch-event.js';
import { Observable, Subject } from 'rxjs';
import {
  type KeyFunction,
  isAnotherIncarnation,
  resourceVersionOf,
  uidOf,
  compareResourceVersions,
} from '../kubernetes/object.js';
import { UnversionedObjectError } from '../kubernetes/errors.js';
import type { Selection } from '../sources/model/source.js';
import type { CommitLog } from './commit-log.js';

/** How old the content of an informer may be. */
export interface Freshness {
  /**
   * When the source last emitted a change, a list or a bookmark, in milliseconds since the epoch; `undefined` before the first (G6).
   *
   * Of a merged source it is the time of the stalest member. A member that has not emitted anything yet counts from when it joined.
   */
  readonly lastMessageAt: number | undefined;
  /**
   * Returns when one member of a merged source last emitted a change, a list or a bookmark; `undefined` before the first, and for
   * a name that is no member. `status.members` has the names, with the status of each.
   *
   * @param partition the name of the member, for example a namespace of `listWatch`; `outer/inner` for one that is nested
   */
  lastMessageAtOf(partition: string): number | undefined;
}

/**
 * Knows when each member of a merged source last said anything; a source on its own is one member, without a name.
 *
 * A message is a change, a list or a bookmark. A source that leaves says so with a list of nothing that has no version.
 */
export class MessageTimes {
  readonly #members = new Map<string | undefined, MemberTimes>();
  /** Those that the last status named. A source that has no status is known by its messages only. */
  #named: ReadonlySet<string> = new Set();

  received(batch: readonly WatchEvent<unknown>[], now: number): void {
    let noted: WatchEvent<unknown> | undefined;
    for (const event of batch) {
      if (event.type === 'ERROR') continue;
      if (event.type === 'STATUS') {
        if (event.status.members !== undefined) this.#follow(event.status.members, now);
        continue;
      }
      const { partition } = event;
      if (noted !== undefined && noted.partition === partition) continue;
      if (event.type === 'LISTED' && partition !== undefined && isOfNothing(event)) {
        if (!this.#named.has(partition)) this.#members.delete(partition);
        continue;
      }
      noted = event;
      this.#note(partition, now);
    }
  }

  /** Returns the last time of the stalest member, or `undefined` before the first message. A silent member counts from when it joined. */
  stalest(): number | undefined {
    const times = [...this.#members.values()];
    if (times.every(({ last }) => last === undefined)) return undefined;
    return times.reduce((earliest, { joined, last = joined }) => Math.min(earliest, last), Infinity);
  }

  of(partition: string): number | undefined {
    return this.#members.get(partition)?.last;
  }

  reset(): void {
    this.#members.clear();
    this.#named = new Set();
  }

  #note(partition: string | undefined, now: number): void {
    const member = this.#members.get(partition);
    if (member === undefined) this.#members.set(partition, { joined: now, last: now });
    else member.last = now;
    // An empty set of sources has a list of its own.
    if (partition !== undefined) this.#members.delete(undefined);
  }

  #follow(statuses: Readonly<Record<string, { readonly state: string }>>, now: number): void {
    const named = new Set(Object.keys(statuses));
    for (const name of this.#named) if (!named.has(name)) this.#members.delete(name);
    for (const name of named) {
      if (statuses[name]?.state === 'stopped') this.#members.delete(name);
      else if (!this.#members.has(name)) this.#members.set(name, { joined: now, last: undefined });
    }
    this.#named = named;
  }
}

interface MemberTimes {
  readonly joined: number;
  last: number | undefined;
}

function isOfNothing({
  items,
  resourceVersion,
}: {
  readonly items: readonly unknown[];
  readonly resourceVersion: string;
}): boolean {
  return items.length === 0 && resourceVersion === '';
}

/** Where in a merged cache a write is to be looked for. */
export interface ObservedOptions {
  /**
   * The name of the merged source that the object comes from (see `mergeSources`). Left out, every one of them has to have passed the
   * object's version, which means something only if they follow one cluster; and `keyOf` is not told a partition.
   */
  readonly partition?: string | undefined;
  /**
   * True: the object was deleted, and the cache has caught up when it no longer holds the object's uid.
   * The object then needs a uid and no resourceVersion. Default false. An object that the cache
   * has never held counts as gone, unless it has a version that the cache has not reached.
   */
  readonly deleted?: boolean | undefined;
}

/** Options of `whenObserved`. */
export interface WhenObservedOptions extends ObservedOptions {
  /** Aborting it rejects the promise with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Read your own writes: a cache that can say when it has caught up with one.
 *
 * It has where it holds the object in this version or a newer one, where a later incarnation stands under the key, and where the object is
 * gone and the cache has been told everything up to its version, also if it was never there: deleted before anybody looked, or not selected.
 * An object that namespace, label selector or shard of a `listWatch` leave out is observed as soon as the cache does not hold it; whether a
 * field selector leaves it out is known only to the server, so the next bookmark decides (about once a minute).
 *
 * **Does not guarantee**: an end where versions are not integers (some extension API servers): such a version may be skipped, and is met
 * only exactly. Pass a signal there.
 */
export interface ObservesWrites<T> {
  /**
   * Emits once, when the cache has caught up with the object, and completes. It observes only: it does not keep the informer running, goes
   * on waiting when the last subscriber leaves, and completes without a value when the informer is stopped or its source completes.
   *
   * **Errors**: throws `UnversionedObjectError` for an object without a resourceVersion (or, with `deleted`, without a uid as well), and what the key function throws.
   *
   * @param object as the API server answered the write
   */
  observed$(object: T, options?: ObservedOptions): Observable<void>;
  /**
   * Resolves when the cache has caught up with the object; rejects with the signal's reason when aborted, with `NotRunningError` where the
   * informer is not running or stops before, and with what `observed$` throws.
   *
   * @example
   * import { configMaps, informer, type KubeClient } from 'rx-informers';
   * import { resourceClient } from 'rx-informers/controller';
   *
   * declare const client: KubeClient;
   * const settings = informer(client, configMaps);
   *
   * settings.connect();
   * const written = await resourceClient(client, configMaps).patch('web/settings', { data: { mode: 'dark' } });
   * await settings.whenObserved(written);
   * console.log(settings.get('web/settings')?.data?.['mode']);
   */
  whenObserved(object: T, options?: WhenObservedOptions): Promise<void>;
}

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
        this.log.listeners.add(
          { type: 'keys', keys: [key] },
          {
            announce: look,
            complete: () => {
              subscriber.complete();
            },
          },
        ),
      );
      subscriber.add(this.#delivered.subscribe(look));
      // Completes this subscriber, too, if the log has completed.
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

/** What a cache knows that bears on one object. */
export interface Seen {
  /** What stands under the object's key now. */
  readonly held: unknown;
  /** True if this object, by its uid, was in the cache at some time since the subscription. */
  readonly wasHeld: boolean;
  /** The version that each partition which may hold the object has reached; `''` if it is not known. */
  readonly reached: readonly string[];
  /** False where the source would never deliver the object: its namespace or its labels do not match. */
  readonly isSelected?: boolean;
}

/** What is waited for: that the cache shows the object, or that it no longer holds it. */
export type Awaited = 'written' | 'deleted';

/**
 * Returns true if a cache has caught up with `object` at its resourceVersion. Pure.
 *
 * | under the key stands | observed where |
 * | --- | --- |
 * | the object, and it was deleted | never |
 * | the object | its version is this one or a later one |
 * | the object, without a version | the cache has been told everything up to this version |
 * | anything else, and the object is not selected, or was deleted and has no version | at once |
 * | another incarnation | its version is later, so the object is gone; if versions cannot be compared, the object was in the cache before |
 * | nothing | the cache has reached this version; if versions cannot be compared, the object was in the cache before |
 *
 * Versions are compared by `compareResourceVersions`: one that is no integer is observed only where it is met exactly.
 */
export function hasObserved(
  { held, wasHeld, reached, isSelected = true }: Seen,
  object: unknown,
  awaited: Awaited = 'written',
): boolean {
  const version = resourceVersionOf(object) ?? '';
  const isHeld = held !== undefined && !isAnotherIncarnation(object, held);
  if (isHeld) {
    if (awaited === 'deleted') return false;
    const heldVersion = resourceVersionOf(held);
    if (heldVersion !== undefined) return (compareResourceVersions(heldVersion, version) ?? -1) >= 0;
  } else {
    if (!isSelected || (awaited === 'deleted' && version === '')) return true;
    if (held !== undefined) {
      const order = compareResourceVersions(resourceVersionOf(held) ?? '', version);
      return order === undefined ? wasHeld : order > 0;
    }
  }
  const orders = reached.map((each) => compareResourceVersions(each, version));
  if (orders.length === 0 || orders.includes(undefined)) return held === undefined && wasHeld;
  return orders.every((order) => order !== undefined && order >= 0);
}
